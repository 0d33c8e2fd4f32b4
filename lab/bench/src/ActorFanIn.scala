package undercroft.lab.bench

// How much does a message cost if eight actors send to one?

import java.util.concurrent.CountDownLatch
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A call lets eight actors send [[ActorFanIn.count]] messages to one actor, each
  * [[ActorFanIn.burst]] at a time. Our mailbox has a limit at which a sender pauses; Pekko's has
  * none.
  */
@State(Scope.Thread)
class ActorFanIn extends Measured:
  @Param(Array("undercroft", "pekko")) var system = ""

  private var actors: FanIn = uninitialized

  @Setup def open(): Unit = actors = ActorFanIn.open(system)
  @TearDown def close(): Unit = actors.close()

  @Benchmark @OperationsPerInvocation(ActorFanIn.count) def send(): Long =
    val handled = actors.send()
    if handled != ActorFanIn.count then
      throw IllegalStateException(s"$handled of ${ActorFanIn.count} messages were handled")
    handled
end ActorFanIn

object ActorFanIn:
  final val count = 400_000
  final val senders = 8
  final val burst = 50

  def open(system: String): FanIn = system match
    case "undercroft" => UndercroftFanIn()
    case "pekko"      => PekkoFanIn()
    case other        => throw IllegalArgumentException(s"no system of actors is called $other")

/** Eight senders and their receiver. */
trait FanIn extends AutoCloseable:
  private var handled = 0L
  @volatile private var done = CountDownLatch(1)

  protected def start(messagesEach: Int): Unit

  /** Counts a message; for the receiver. */
  protected final def handle(): Unit =
    handled += 1
    if handled == ActorFanIn.count then done.countDown()

  /** Sends the messages; returns how many the receiver counted. */
  def send(): Long =
    handled = 0
    done = CountDownLatch(1)
    start(ActorFanIn.count / ActorFanIn.senders)
    done.await()
    handled
end FanIn

final class UndercroftFanIn extends FanIn:
  import undercroft.actor.*

  private val system = ActorSystem("fan-in")
  private val receiver = spawn(
    Behavior.receive[String] { _ =>
      handle()
      Behavior.same
    },
    mailbox = Mailbox(overflow = Overflow.Backpressure)
  )(using system)
  private val senders = Vector.fill(ActorFanIn.senders)(spawn(sender)(using system))

  private def sender: Behavior[Int] = Behavior.setup:
    Behavior.receive: left =>
      for _ <- 1 to math.min(left, ActorFanIn.burst) do receiver ! ""
      if left > ActorFanIn.burst then context.self ! left - ActorFanIn.burst
      Behavior.same

  protected def start(messagesEach: Int): Unit = senders.foreach(_ ! messagesEach)
  def close(): Unit = system.close()
end UndercroftFanIn

final class PekkoFanIn extends FanIn:
  import org.apache.pekko.actor.typed.*
  import org.apache.pekko.actor.typed.scaladsl.Behaviors

  private val system = Pekko.open(None)
  private val receiver = Pekko.make(
    system,
    Behaviors.receiveMessage[String] { _ =>
      handle()
      Behaviors.same
    }
  )
  private val senders = Vector.fill(ActorFanIn.senders)(Pekko.make(system, sender))

  private def sender: Behavior[Int] = Behaviors.receive: (context, left) =>
    for _ <- 1 to math.min(left, ActorFanIn.burst) do receiver ! ""
    if left > ActorFanIn.burst then context.self ! left - ActorFanIn.burst
    Behaviors.same

  protected def start(messagesEach: Int): Unit = senders.foreach(_ ! messagesEach)
  def close(): Unit = Pekko.close(system)
end PekkoFanIn
