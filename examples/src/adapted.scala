import java.util.concurrent.atomic.AtomicInteger
import undercroft.actor.*

final case class Forecast(degrees: Int)

enum Stroll:
  case Warm(degrees: Int)

def weatherStation: Behavior[ActorRef[Forecast]] = Behavior.receive: reader =>
  reader ! Forecast(21)
  Behavior.same

def tourist(station: ActorRef[ActorRef[Forecast]]): Behavior[Stroll] = Behavior.setup:
  station ! context.messageAdapter[Forecast](weather => Stroll.Warm(weather.degrees))
  Behavior.receive:
    case Stroll.Warm(degrees) =>
      println(s"a walk at $degrees degrees")
      Behavior.stopped

@main def adapted(): Unit =
  val lost = AtomicInteger()
  ActorSystem.scoped("island", listener = _ => ()):
    val subscription = summon[ActorSystem].subscribe:
      case ActorEvent.DeadLetter(_, _, _) => lost.incrementAndGet(): Unit
      case _                              => ()
    spawn(tourist(spawn(weatherStation))): Unit
    spawn(Behavior.empty[Int], run = Run.Caller) ! 7
    subscription.close()
  println(s"dead letters: $lost")

// prints:
// a walk at 21 degrees
// dead letters: 1
