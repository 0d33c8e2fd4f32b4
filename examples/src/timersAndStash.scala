import java.util.concurrent.CountDownLatch
import scala.concurrent.duration.*
import undercroft.actor.*

enum Door derives CanEqual:
  case Open, Close, GoAway
  case Pass(who: String)

def frontDoor(shut: CountDownLatch): Behavior[Door] = Behavior.setup:
  def closed: Behavior[Door] = Behavior.receive:
    case Door.Pass(_) => context.stash(); Behavior.same // comes again when it is open
    case Door.Open =>
      context.startSingleTimer("close", Door.Close, 10.millis) // sent to itself
      context.unstashAll() // before later messages
      open
    case Door.Close => Behavior.same
    case Door.GoAway =>
      println(s"${context.stashSize} wait in vain")
      context.clearStash() // they are dead letters
      Behavior.same
  def open: Behavior[Door] = Behavior.receive:
    case Door.Pass(who) =>
      println(s"$who passes, closes soon: ${context.isTimerActive("close")}")
      Behavior.same
    case Door.Close => println("closed"); shut.countDown(); closed
    case _          => Behavior.same
  closed

@main def timersAndStash(): Unit =
  val shut = CountDownLatch(1)
  ActorSystem.scoped("house", listener = _ => ()):
    val door = spawn(frontDoor(shut), "door")
    for guest <- List("a peddler", "a peddler") do door ! Door.Pass(guest)
    door ! Door.GoAway
    for guest <- List("Ada", "Grace") do door ! Door.Pass(guest)
    door ! Door.Open
    shut.await()

// prints:
// 2 wait in vain
// Ada passes, closes soon: true
// Grace passes, closes soon: true
// closed
