package outside.actor

import java.util.concurrent.atomic.LongAdder
import scala.concurrent.duration.*
import undercroft.actor.*

/** Routers over the actors of a registry, whose members come, go and fail. */
class GroupTest extends PatternSuite:
  private val key = ServiceKey[Int]("workers")

  test("a group router sends each message to one of the registered actors"):
    withSystem:
      val registry = Registry()
      val names = List("a", "b", "c")
      for name <- names do registry.register(key, noting(name))
      val router = spawn(Router.group(registry, key), "router")
      for n <- 1 to 9 do router ! n
      quiet()
      assertEquals(names.map(notedBy(_)), List(List(1, 4, 7), List(2, 5, 8), List(3, 6, 9)))

  test("a message to a group router without members is an unhandled dead letter"):
    withSystem:
      val registry = Registry()
      val router = spawn(Router.group(registry, key), "router")
      router ! 1
      quiet()
      registry.register(key, noting("a"))
      router ! 2
      quiet()
      assertEquals(log.deadLetters, List((1, DeadLetterReason.Unhandled)))
      assertEquals(notedBy("a"), List(2))

  test("a member of a group that throws is removed, and the others handle all later messages"):
    withSystem:
      val registry = Registry()
      val (a, b) = (noting("a"), noting("b"))
      for member <- List(a, b) do registry.register(key, member)
      val router = spawn(Router.group(registry, key), "router")
      router ! 0
      until("the member is removed")(registry.find(key) == Vector(b))
      for n <- 1 to 10 do router ! n
      quiet()
      assertEquals((notedBy("a"), notedBy("b")), (List(0), (1 to 10).toList))

  test("each message to a group whose members register and stop is handled or a dead letter"):
    for round <- 1 to 10 do
      withSystem:
        val registry = Registry()
        val handled = LongAdder()
        val router = spawn(Router.group(registry, key), "router")
        together(4): thread =>
          for n <- 1 to 200 do
            if thread < 2 then
              val member = spawn(Behavior.receive[Int] { n =>
                if n > 0 then handled.increment()
                if n < 0 then Behavior.stopped else Behavior.same
              })
              registry.register(key, member)
              if n % 2 == 0 then registry.deregister(key, member) else member ! -1
            else router ! n
        quiet()
        val dead = log.deadLetters
        val reasons = Set(DeadLetterReason.Unhandled, DeadLetterReason.Stopped)
        assert(dead.forall((_, reason) => reasons(reason)), s"round $round: $dead")
        assertEquals(handled.sum + dead.size, 400L, s"round $round")
        until("no member is left")(registry.find(key).isEmpty)
        assertEquals(log.failures, Nil)

  test("a message of another type than a member's fails the member, not the router"):
    withSystem:
      val registry = Registry()
      val (a, b) = (noting("a"), noting("b"))
      registry.register(key, a)
      val router = spawn(Router.group(registry, ServiceKey[String]("workers")), "router")
      router ! "no number"
      until("the member is removed")(registry.find(key).isEmpty)
      assertEquals(log.failures.map(_.getClass.getName), List("java.lang.ClassCastException"))
      registry.register(key, b)
      assert(!router.isStopped)
      val numbers = spawn(Router.group(registry, key), "numbers")
      numbers ! 1
      quiet()
      assertEquals(notedBy("b"), List(1))

  test("a message to a group whose members' system has terminated is a dead letter there"):
    withSystem:
      val other = Log()
      val remote = ActorSystem("remote", 1, other.add)
      val registry = Registry()
      registry.register(key, spawn(Behavior.ignore[Int], "member")(using remote))
      val router = spawn(Router.group(registry, key), "router")
      assert(remote.shutdown(1.minute, 1.minute))
      until("the member is removed")(registry.find(key).isEmpty)
      router ! 1
      quiet()
      assertEquals(log.deadLetters, List((1, DeadLetterReason.Unhandled)))
      assertEquals(other.deadLetters, Nil)
end GroupTest
