import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Meter derives MessageCodec:
  case Reading(watts: Long)
  case Sum(to: Reply[Total])

final case class Total(readings: Long, watts: Long) derives MessageCodec

def meter: Behavior[Meter] = Behavior.setup:
  var total = Total(0, 0)
  Behavior.receive:
    case Meter.Reading(watts) =>
      total = Total(total.readings + 1, total.watts + watts)
      Behavior.same
    case Meter.Sum(to) => to ! total; Behavior.same

/** Sends a hundred thousand readings at once: none is lost, and the meter slows the sender. */
def report(far: ActorRef[Meter])(using ActorScope, typed.ActorSystem[?]): Total =
  val mailbox = Mailbox(10_000, Overflow.Backpressure)
  val delivery = ReliableDelivery.spawn(far, mailbox = mailbox)
  for watts <- 1 to 100_000 do delivery ! Meter.Reading(watts) // waits while the mailbox is full
  delivery.ask[Total](1.minute)(Meter.Sum(_))

/** A node of a cluster on this machine, with a port of its own. */
def nodeOnLoopback(name: String, messages: MessageCodec[?]*): typed.ActorSystem[Nothing] =
  val config = ConfigFactory
    .parseString("""
      include "undercroft-cluster"
      pekko.remote.artery.canonical { hostname = 127.0.0.1, port = 0 }
      pekko.loglevel = off
    """)
    .withFallback(ConfigFactory.load())
  val setup = ActorSystemSetup(BootstrapSetup(config), UndercroftSerialization(messages*))
  typed.ActorSystem[Nothing](Behaviors.empty[Nothing], name, setup, Props.empty)

/** An actor of another node, as this node sees it. */
def farActor[T](ref: typed.ActorRef[T], of: typed.ActorSystem[?])(using
    system: typed.ActorSystem[?]
): ActorRef[T] =
  val text = ActorRefResolver(of).toSerializationFormat(ref)
  ActorRefResolver(system).resolveActorRef[T](text).toUndercroft

@main def reliably(): Unit =
  def node() = nodeOnLoopback("meters", MessageCodec[Meter], MessageCodec[Total])
  val (here, there) = (node(), node())
  try
    given typed.ActorSystem[?] = here
    val far = farActor(there.systemActorOf(meter.toPekko(), "meter"), there)
    ActorSystem.scoped("reports"):
      println(report(far))
  finally
    here.terminate()
    there.terminate()

// prints:
// Total(100000,5000050000)
