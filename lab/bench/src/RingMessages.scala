package undercroft.lab.bench

// What does a message cost that is made anew at each hop: as an object, and as a struct in a slot?

import java.util.concurrent.CountDownLatch
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.actor.*
import undercroft.struct.Struct

/** A call is [[RingMessages.hops]] messages round a ring of a hundred actors on one worker. They
  * have eight behaviours by turns, each compiled for itself, as the actors of a program have.
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
    case ("objects", 3)  => ObjectRing3()
    case ("objects", 16) => ObjectRing16()
    case ("structs", 3)  => StructRing3()
    case ("structs", 16) => StructRing16()
    case _               => throw IllegalArgumentException(s"no ring of $messages of $cases cases")

/** A ring of a hundred, whose nodes count what they handle. */
abstract class MessageRing extends AutoCloseable:
  protected val nodes = 100
  protected val counts: Array[Long] = new Array[Long](nodes)
  protected val system: ActorSystem = ActorSystem("messages", 1)
  @volatile protected var done: CountDownLatch = CountDownLatch(1)

  protected def start(hops: Int): Unit

  /** How many messages the actors counted of `hops`. */
  def pass(hops: Int): Long =
    val before = counts.sum
    done = CountDownLatch(1)
    start(hops)
    done.await()
    counts.sum - before

  def close(): Unit = system.close()
end MessageRing

enum Object3 derives CanEqual:
  case Start, Stop
  case Token(id: Int, left: Int)

enum Struct3 derives Struct, CanEqual:
  case Start, Stop
  case Token(id: Int, left: Int)

enum Object16 derives CanEqual:
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

enum Struct16 derives Struct, CanEqual:
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

final class ObjectRing3 extends MessageRing:
  private val refs = new Array[ActorRef[Object3]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int): Behavior[Object3] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Object3.Token(id, left) =>
        counts(i) += 1
        if left > 1 then next ! Object3.Token(id, left - 1) else done.countDown()
        Behavior.same
      case Object3.Start => Behavior.same
      case Object3.Stop  => Behavior.stopped

  private def one(i: Int): Behavior[Object3] = i % 8 match
    case 0 => node(i)
    case 1 => node(i)
    case 2 => node(i)
    case 3 => node(i)
    case 4 => node(i)
    case 5 => node(i)
    case 6 => node(i)
    case _ => node(i)

  protected def start(hops: Int): Unit = refs(0) ! Object3.Token(1, hops)
end ObjectRing3

final class StructRing3 extends MessageRing:
  private val refs = new Array[ActorRef[Struct3]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int): Behavior[Struct3] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Struct3.Token(id, left) =>
        counts(i) += 1
        if left > 1 then next ! Struct3.Token(id, left - 1) else done.countDown()
        Behavior.same
      case Struct3.Start => Behavior.same
      case Struct3.Stop  => Behavior.stopped

  private def one(i: Int): Behavior[Struct3] = i % 8 match
    case 0 => node(i)
    case 1 => node(i)
    case 2 => node(i)
    case 3 => node(i)
    case 4 => node(i)
    case 5 => node(i)
    case 6 => node(i)
    case _ => node(i)

  protected def start(hops: Int): Unit = refs(0) ! Struct3.Token(1, hops)
end StructRing3

final class ObjectRing16 extends MessageRing:
  private val refs = new Array[ActorRef[Object16]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int): Behavior[Object16] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Object16.Token(id, left) =>
        counts(i) += 1
        if left > 1 then next ! Object16.Token(id, left - 1) else done.countDown()
        Behavior.same
      case Object16.A | Object16.B => Behavior.same
      case Object16.C              => Behavior.stopped
      case Object16.D(_)           => counts(i) -= 1; Behavior.same
      case Object16.E(_)           => counts(i) -= 2; Behavior.same
      case Object16.F(_, _)        => counts(i) -= 3; Behavior.same
      case Object16.G(_)           => counts(i) -= 4; Behavior.same
      case Object16.H(_)           => counts(i) -= 5; Behavior.same
      case Object16.I(_)           => counts(i) -= 6; Behavior.same
      case Object16.J(_)           => counts(i) -= 7; Behavior.same
      case Object16.K(_, _)        => counts(i) -= 8; Behavior.same
      case Object16.L(_)           => counts(i) -= 9; Behavior.same
      case Object16.M(_)           => counts(i) -= 10; Behavior.same
      case Object16.N(_)           => counts(i) -= 11; Behavior.same
      case Object16.O(_)           => counts(i) -= 12; Behavior.same
  end node

  private def one(i: Int): Behavior[Object16] = i % 8 match
    case 0 => node(i)
    case 1 => node(i)
    case 2 => node(i)
    case 3 => node(i)
    case 4 => node(i)
    case 5 => node(i)
    case 6 => node(i)
    case _ => node(i)

  protected def start(hops: Int): Unit = refs(0) ! Object16.Token(1, hops)
end ObjectRing16

final class StructRing16 extends MessageRing:
  private val refs = new Array[ActorRef[Struct16]](nodes)
  for i <- refs.indices do refs(i) = spawn(one(i))(using system)

  private inline def node(i: Int): Behavior[Struct16] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive:
      case Struct16.Token(id, left) =>
        counts(i) += 1
        if left > 1 then next ! Struct16.Token(id, left - 1) else done.countDown()
        Behavior.same
      case Struct16.A | Struct16.B => Behavior.same
      case Struct16.C              => Behavior.stopped
      case Struct16.D(_)           => counts(i) -= 1; Behavior.same
      case Struct16.E(_)           => counts(i) -= 2; Behavior.same
      case Struct16.F(_, _)        => counts(i) -= 3; Behavior.same
      case Struct16.G(_)           => counts(i) -= 4; Behavior.same
      case Struct16.H(_)           => counts(i) -= 5; Behavior.same
      case Struct16.I(_)           => counts(i) -= 6; Behavior.same
      case Struct16.J(_)           => counts(i) -= 7; Behavior.same
      case Struct16.K(_, _)        => counts(i) -= 8; Behavior.same
      case Struct16.L(_)           => counts(i) -= 9; Behavior.same
      case Struct16.M(_)           => counts(i) -= 10; Behavior.same
      case Struct16.N(_)           => counts(i) -= 11; Behavior.same
      case Struct16.O(_)           => counts(i) -= 12; Behavior.same
  end node

  private def one(i: Int): Behavior[Struct16] = i % 8 match
    case 0 => node(i)
    case 1 => node(i)
    case 2 => node(i)
    case 3 => node(i)
    case 4 => node(i)
    case 5 => node(i)
    case 6 => node(i)
    case _ => node(i)

  protected def start(hops: Int): Unit = refs(0) ! Struct16.Token(1, hops)
end StructRing16
