package outside.actor

import undercroft.actor.*

/** Listeners that come and go while a system runs. */
class SubscriptionTest extends undercroft.tools.Suite:

  test("a subscriber gets the events until it is closed, besides the listener and other ones"):
    val (own, first, second) = (Letters(), Letters(), Letters())
    ActorSystem.scoped("shop", listener = own.add):
      val system = summon[ActorSystem]
      val actor = spawn(Behavior.empty[Int], run = Run.Caller)
      actor ! 1
      val one = system.subscribe(first.add)
      actor ! 2
      val two = system.subscribe(second.add)
      actor ! 3
      one.close()
      one.close()
      actor ! 4
      two.close()
      actor ! 5
    assertEquals(own.messages, List(1, 2, 3, 4, 5))
    assertEquals(first.messages, List(2, 3))
    assertEquals(second.messages, List(3, 4))

  test("one function can subscribe twice, and a closed subscription ends only itself"):
    val events = Letters()
    ActorSystem.scoped("shop", listener = _ => ()):
      val system = summon[ActorSystem]
      val actor = spawn(Behavior.empty[Int], run = Run.Caller)
      val listener = events.add
      val one = system.subscribe(listener)
      val two = system.subscribe(listener)
      actor ! 1
      one.close()
      actor ! 2
      two.close()
    assertEquals(events.messages, List(1, 1, 2))

  test("a subscriber that throws, or closes itself, changes nothing for the others"):
    val events = Letters()
    ActorSystem.scoped("shop", listener = _ => ()):
      val system = summon[ActorSystem]
      var own: Option[AutoCloseable] = None
      var calls = 0
      own = Some(system.subscribe: _ =>
        calls += 1
        own.foreach(_.close())
        throw IllegalStateException("a test"))
      system.subscribe(events.add): Unit
      val actor = spawn(Behavior.empty[Int], run = Run.Caller)
      for n <- 1 to 3 do actor ! n
      assertEquals(calls, 1)
    assertEquals(events.messages, List(1, 2, 3))

  private final class Letters:
    private val letters = java.util.concurrent.ConcurrentLinkedQueue[Any]()
    val add: ActorEvent => Unit =
      case ActorEvent.DeadLetter(_, message, _) => letters.add(message): Unit
      case _                                    => ()
    def messages: List[Any] = letters.toArray.toList
end SubscriptionTest
