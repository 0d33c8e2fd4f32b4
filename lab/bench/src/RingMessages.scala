package undercroft.lab.bench

// How much does a new message at each hop cost: as an object, and as a struct in a slot?

import java.util.concurrent.CountDownLatch
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.actor.*
import undercroft.struct.Struct

/** A call is [[RingMessages.hops]] messages round a ring of a hundred actors on one worker. They
  * alternate between eight behaviors, each compiled separately, as the actors of a program are.
  */
@State(Scope.Thread)
class RingMessages extends Measured:
  @Param(Array("objects", "structs")) var messages = ""
  @Param(Array("3", "16")) var cases = 0

  private var ring: MessageRing = uninitialized

  @Setup def open(): Unit = ring = RingMessages.open(messages, cases)
  @TearDown def close(): Unit = ring.close()

  @Benchmark @OperationsPerInvocation(RingMessages.hops) def pass(): Long =
    val handled = ring.pass(RingMessages.hops)
    if handled != RingMessages.hops then
      throw IllegalStateException(s"$handled messages of ${RingMessages.hops} were handled")
    handled
end RingMessages

object RingMessages:
  final val hops = 1_000_000

  def open(messages: String, cases: Int): MessageRing = (messages, cases) match
    case ("objects", 3)  => Ring3(inSlots = false)
    case ("objects", 16) => Ring16(inSlots = false)
    case ("structs", 3)  => Ring3(inSlots = true)
    case ("structs", 16) => Ring16(inSlots = true)
    case _               => throw IllegalArgumentException(s"no ring of $messages of $cases cases")

  /** An expression that is compiled separately at each of eight places. */
  inline def eightWays[A](i: Int)(inline made: A): A = i % 8 match
    case 0 => made
    case 1 => made
    case 2 => made
    case 3 => made
    case 4 => made
    case 5 => made
    case 6 => made
    case _ => made
end RingMessages

/** A ring of a hundred nodes that count the messages they handle. The messages are structs: `!`
  * stores them in slots, `tell` sends them as objects.
  */
abstract class MessageRing extends AutoCloseable:
  protected val nodes = 100
  protected val counts: Array[Long] = new Array[Long](nodes)
  protected val system: ActorSystem = ActorSystem("messages", 1)
  @volatile protected var done: CountDownLatch = CountDownLatch(1)

  // A flag beside it: the JIT inlines no reading of a field whose class was never loaded.
  private val rounds = Rounds()
  @volatile private var isTimed = false

  /** Starts to time the rounds of a token. */
  def timed(): Rounds =
    isTimed = true
    rounds

  protected def start(hops: Int): Unit

  protected final def handle(i: Int): Unit =
    counts(i) += 1
    if i == 0 && isTimed then rounds.mark()

  /** Sends `hops` messages; returns how many the actors counted. */
  def pass(hops: Int): Long =
    val before = counts.sum
    done = CountDownLatch(1)
    start(hops)
    done.await()
    counts.sum - before

  def close(): Unit = system.close()
end MessageRing

enum Of3 derives Struct, CanEqual:
  case Start, Stop
  case Token(id: Int, left: Int)

enum Of16 derives Struct, CanEqual:
  case A, B, C
  case D(n: Int)
  case E(n: Long)
  case F(n: Int, m: Int)
  case G(b: Boolean)
  case H(d: Double)
  case I(n: Int)
  case J(n: Long)
  case K(n: Int, m: Int)
  case L(b: Boolean)
  case M(d: Double)
  case N(n: Short)
  case O(n: Byte)
  case Token(id: Int, left: Int)

final class Ring3(inSlots: Boolean) extends MessageRing:
  private val refs = new Array[ActorRef[Of3]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int, inline inSlots: Boolean): Behavior[Of3] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Of3.Token(id, left) =>
        handle(i)
        if left > 1 then
          inline if inSlots then next ! Of3.Token(id, left - 1)
          else next.tell(Of3.Token(id, left - 1))
        else done.countDown()
        Behavior.same
      case Of3.Start => Behavior.same
      case Of3.Stop  => Behavior.stopped

  private def one(i: Int): Behavior[Of3] =
    if inSlots then RingMessages.eightWays(i)(node(i, true))
    else RingMessages.eightWays(i)(node(i, false))

  protected def start(hops: Int): Unit = refs(0) ! Of3.Token(1, hops)
end Ring3

final class Ring16(inSlots: Boolean) extends MessageRing:
  private val refs = new Array[ActorRef[Of16]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int, inline inSlots: Boolean): Behavior[Of16] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Of16.Token(id, left) =>
        handle(i)
        if left > 1 then
          inline if inSlots then next ! Of16.Token(id, left - 1)
          else next.tell(Of16.Token(id, left - 1))
        else done.countDown()
        Behavior.same
      case Of16.A | Of16.B => Behavior.same
      case Of16.C          => Behavior.stopped
      case Of16.D(_)       => counts(i) -= 1; Behavior.same
      case Of16.E(_)       => counts(i) -= 2; Behavior.same
      case Of16.F(_, _)    => counts(i) -= 3; Behavior.same
      case Of16.G(_)       => counts(i) -= 4; Behavior.same
      case Of16.H(_)       => counts(i) -= 5; Behavior.same
      case Of16.I(_)       => counts(i) -= 6; Behavior.same
      case Of16.J(_)       => counts(i) -= 7; Behavior.same
      case Of16.K(_, _)    => counts(i) -= 8; Behavior.same
      case Of16.L(_)       => counts(i) -= 9; Behavior.same
      case Of16.M(_)       => counts(i) -= 10; Behavior.same
      case Of16.N(_)       => counts(i) -= 11; Behavior.same
      case Of16.O(_)       => counts(i) -= 12; Behavior.same
  end node

  private def one(i: Int): Behavior[Of16] =
    if inSlots then RingMessages.eightWays(i)(node(i, true))
    else RingMessages.eightWays(i)(node(i, false))

  protected def start(hops: Int): Unit = refs(0) ! Of16.Token(1, hops)
end Ring16
