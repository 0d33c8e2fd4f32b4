import java.util.concurrent.CountDownLatch
import scala.concurrent.duration.*
import undercroft.actor.*

enum Door derives CanEqual:
  case Open, Close
  case Pass(who: String)

def frontDoor(shut: CountDownLatch): Behavior[Door] = Behavior.setup:
  def closed: Behavior[Door] = Behavior.receive:
    case Door.Pass(_) => context.stash(); Behavior.same // comes again when it is open
    case Door.Open =>
      context.startSingleTimer("close", Door.Close, 10.millis) // sent to itself
      context.unstashAll() // before later messages
      open
    case Door.Close => Behavior.same
  def open: Behavior[Door] = Behavior.receive:
    case Door.Pass(who) => println(s"$who passes"); Behavior.same
    case Door.Open      => Behavior.same
    case Door.Close     => println("closed"); shut.countDown(); closed
  closed

@main def timersAndStash(): Unit =
  val shut = CountDownLatch(1)
  ActorSystem.scoped("house"):
    val door = spawn(frontDoor(shut), "door")
    for message <- List(Door.Pass("Ada"), Door.Pass("Grace"), Door.Open) do door ! message
    shut.await()

// prints:
// Ada passes
// Grace passes
// closed
