import java.util.concurrent.CountDownLatch
import undercroft.actor.*
import undercroft.struct.*

case class Hop(left: Int, sum: Long) derives Struct

/** A message that is a struct goes to the next actor in a slot outside the heap. */
def hopper(next: => ActorRef[Hop], done: Long => Unit): Behavior[Hop] = Behavior.receive:
  case Hop(0, sum)    => done(sum); Behavior.same
  case Hop(left, sum) => next ! Hop(left - 1, sum + left); Behavior.same

@main def structMessages(): Unit =
  val ended = CountDownLatch(1)
  var total = 0L
  ActorSystem.scoped("hops"):
    lazy val first: ActorRef[Hop] = spawn(hopper(
      second,
      sum =>
        total =
          sum;
        ended.countDown()
    ))
    lazy val second: ActorRef[Hop] = spawn(hopper(
      first,
      sum =>
        total =
          sum;
        ended.countDown()
    ))
    first ! Hop(100_000, 0)
    ended.await()
  println(total)
end structMessages

// prints:
// 5000050000
