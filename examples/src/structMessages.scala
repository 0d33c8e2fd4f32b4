import java.util.concurrent.CountDownLatch
import undercroft.actor.*
import undercroft.struct.*

enum Hop derives Struct, CanEqual: // messages between actors of one worker allocate nothing
  case Stop
  case Token(left: Int, sum: Long)

def hopper(next: => ActorRef[Hop], done: Long => Unit): Behavior[Hop] = Behavior.receive:
  case Hop.Token(0, sum)    => done(sum); next ! Hop.Stop; Behavior.stopped
  case Hop.Token(left, sum) => next ! Hop.Token(left - 1, sum + left); Behavior.same
  case Hop.Stop             => Behavior.stopped

@main def structMessages(): Unit =
  val ended = CountDownLatch(1)
  var total = 0L
  val done = (sum: Long) =>
    total = sum; ended.countDown()
  ActorSystem.scoped("hops"):
    lazy val first: ActorRef[Hop] = spawn(hopper(second, done))
    lazy val second: ActorRef[Hop] = spawn(hopper(first, done))
    first ! Hop.Token(100_000, 0)
    ended.await()
  println(total)

// prints:
// 5000050000
