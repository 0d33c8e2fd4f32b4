package undercroft.lab.bench

// How much does a message cost if the mailbox orders the messages by their priority?

import com.typesafe.config.Config
import java.util.concurrent.CountDownLatch
import org.apache.pekko.dispatch.{PriorityGenerator, UnboundedStablePriorityMailbox}
import org.openjdk.jmh.annotations.*
import scala.collection.immutable.ArraySeq
import scala.compiletime.uninitialized

/** As [[ActorFanIn]], with messages of four levels: eight actors send to one with a priority
  * mailbox, or with one level for all (`fifo`). Our mailbox has a limit at which a sender pauses;
  * Pekko's, a heap that is ordered by level and arrival, has none.
  */
@State(Scope.Thread)
class ActorPriorities extends Measured:
  @Param(Array("undercroft", "undercroft-fifo", "pekko", "pekko-fifo")) var system = ""

  private var actors: PrioritizedFanIn = uninitialized

  @Setup def open(): Unit = actors = ActorPriorities.open(system)
  @TearDown def close(): Unit = actors.close()

  @Benchmark @OperationsPerInvocation(ActorFanIn.count) def send(): Long =
    val handled = actors.send()
    if handled != ActorFanIn.count then
      throw IllegalStateException(s"$handled of ${ActorFanIn.count} messages were handled")
    handled
end ActorPriorities

object ActorPriorities:
  final val levels = 4

  /** A message for each level. */
  val words: ArraySeq[String] = ArraySeq.tabulate(levels)(level => s"$level")

  def levelOf(message: Any): Int = message match
    case word: String => word.charAt(0) - '0'
    case _            => 0

  def open(system: String): PrioritizedFanIn = system match
    case "undercroft"      => UndercroftPriorities(isPrioritized = true)
    case "undercroft-fifo" => UndercroftPriorities(isPrioritized = false)
    case "pekko"           => PekkoPriorities(isPrioritized = true)
    case "pekko-fifo"      => PekkoPriorities(isPrioritized = false)
    case other => throw IllegalArgumentException(s"no system of actors is called $other")
end ActorPriorities

/** Messages that the receiver sends itself in one turn, and the order in which it handles them. */
final class Trial(val words: Seq[String]):
  private val handled = scala.collection.mutable.ArrayBuffer[String]()
  private val done = CountDownLatch(1)

  def handle(word: String): Unit =
    handled += word
    if handled.size == words.size then done.countDown()
  def result: Seq[String] =
    done.await()
    handled.toSeq

/** Eight senders and their receiver, which also handles one [[Trial]] after the messages. */
trait PrioritizedFanIn extends FanIn:
  private var trial: Trial | Null = null

  protected def tellReceiver(message: AnyRef): Unit

  /** The order in which the receiver handles messages that wait together. */
  final def order(words: Seq[String]): Seq[String] =
    val trial = Trial(words)
    tellReceiver(trial)
    trial.result

  /** Handles a message. For the receiver. */
  protected final def receive(message: AnyRef): Unit = message match
    case next: Trial =>
      trial = next
      next.words.foreach(tellReceiver)
    case word: String =>
      val present = trial
      if present == null then handle() else present.handle(word)
    case other => throw IllegalArgumentException(s"$other is not a message")
end PrioritizedFanIn

final class UndercroftPriorities(isPrioritized: Boolean) extends PrioritizedFanIn:
  import undercroft.actor.*

  private val system = ActorSystem("priorities")
  private val mailbox: Mailbox | PriorityMailbox[AnyRef] =
    if isPrioritized then
      Mailbox.prioritized[AnyRef](ActorPriorities.levels, overflow = Overflow.Backpressure)(
        ActorPriorities.levelOf
      )
    else Mailbox(overflow = Overflow.Backpressure)
  private val receiver = spawn(
    Behavior.receive[AnyRef] { message =>
      receive(message)
      Behavior.same
    },
    mailbox = mailbox
  )(using system)
  private val senders = Vector.fill(ActorFanIn.senders)(spawn(sender)(using system))

  private def sender: Behavior[Int] = Behavior.setup:
    Behavior.receive: left =>
      for i <- 1 to math.min(left, ActorFanIn.burst) do
        receiver ! ActorPriorities.words(i % ActorPriorities.levels)
      if left > ActorFanIn.burst then context.self ! left - ActorFanIn.burst
      Behavior.same

  protected def tellReceiver(message: AnyRef): Unit = receiver ! message
  protected def start(messagesEach: Int): Unit = senders.foreach(_ ! messagesEach)
  def close(): Unit = system.close()
end UndercroftPriorities

final class PekkoPriorities(isPrioritized: Boolean) extends PrioritizedFanIn:
  import org.apache.pekko.actor.typed.*
  import org.apache.pekko.actor.typed.scaladsl.Behaviors

  private val system =
    Pekko.open(None, s"prioritized.mailbox-type = \"${classOf[LevelMailbox].getName}\"\n")
  private val receiver = Pekko.make(
    system,
    Behaviors.receiveMessage[AnyRef] { message =>
      receive(message)
      Behaviors.same
    },
    if isPrioritized then MailboxSelector.fromConfig("prioritized") else Props.empty
  )
  private val senders = Vector.fill(ActorFanIn.senders)(Pekko.make(system, sender))

  private def sender: Behavior[Int] = Behaviors.receive: (context, left) =>
    for i <- 1 to math.min(left, ActorFanIn.burst) do
      receiver ! ActorPriorities.words(i % ActorPriorities.levels)
    if left > ActorFanIn.burst then context.self ! left - ActorFanIn.burst
    Behaviors.same

  protected def tellReceiver(message: AnyRef): Unit = receiver ! message
  protected def start(messagesEach: Int): Unit = senders.foreach(_ ! messagesEach)
  def close(): Unit = Pekko.close(system)
end PekkoPriorities

/** Pekko's mailbox; it creates one for each actor, from the configuration. */
final class LevelMailbox(
    @annotation.unused settings: org.apache.pekko.actor.ActorSystem.Settings,
    @annotation.unused config: Config
) extends UnboundedStablePriorityMailbox(PriorityGenerator(ActorPriorities.levelOf))
