package outside.pekko.messages

import java.time.Instant
import org.apache.pekko.actor.typed
import undercroft.actor.{ActorRef, Reply}
import undercroft.pekko.*
import undercroft.struct.*

opaque type Ticket = Int
object Ticket:
  def apply(number: Int): Ticket = number
  given CanEqual[Ticket, Ticket] = CanEqual.derived

opaque type Grade <: Int = Int
object Grade:
  def apply(points: Int): Grade = points

opaque type Label <: String = String
object Label:
  def apply(text: String): Label = text

enum Side derives Struct, CanEqual:
  case Buy, Sell

enum Limit derives Struct:
  case Market
  case At(price: Int, until: Option[Long])

final case class Point(x: Double, y: Float) derives Struct
final case class Line(from: Point, to: Point) derives Struct
final case class Address(street: String, zip: Text[8]) derives MessageCodec

/** An IArray has no equality of content, so a class has it. */
final class Blob(val bytes: IArray[Byte]):
  override def equals(other: Any): Boolean = other match
    case blob: Blob => blob.bytes.sameElements(bytes)
    case _          => false
  override def hashCode: Int = bytes.toVector.hashCode
object Blob:
  given MessageCodec[Blob] = MessageCodec.sentAs[Blob, IArray[Byte]](_.bytes)(Blob(_))

final case class Box[A](content: A)

class Url(val text: String):
  override def equals(other: Any): Boolean = other match
    case url: Url => url.text == text
    case _        => false
  override def hashCode: Int = text.hashCode
object Url:
  given MessageCodec[Url] = MessageCodec.sentAs[Url, String](_.text)(Url(_))

given Struct.StoredAs[Instant, Long] =
  Struct.storedAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_))

final case class Primitives(
    a: Boolean,
    b: Byte,
    c: Short,
    d: Char,
    e: Int,
    f: Long,
    g: Float,
    h: Double
) derives Struct

final case class Everything(
    text: String,
    short: Text[24],
    bytes: List[Byte],
    array: Blob,
    primitives: Primitives,
    line: Line,
    side: Side,
    limit: Limit,
    ticket: Ticket,
    at: Instant,
    url: Url,
    address: Option[Address],
    pair: (Int, String),
    named: (name: String, count: Long),
    box: Box[Int],
    boxes: Vector[Box[String]],
    set: Set[Int],
    map: Map[String, Vector[Side]],
    seq: Seq[Option[Int]],
    indexed: IndexedSeq[Char],
    board: InlineArray[InlineArray[Byte, 2], 3],
    points: InlineArray[Point, 2],
    marks: Marks,
    either: Either[String, Int]
) derives MessageCodec

final case class Marks(all: Vector[Mark]) derives MessageCodec
final case class Mark() derives MessageCodec

enum Account:
  case Deposit(amount: Long, note: String = "none")
  case Withdraw(amount: Long)
  case Balance(to: ActorRef[Long])
  case Ask(to: Reply[Long])
  case Tell(to: typed.ActorRef[String])
  case Close
  case Freeze

sealed trait Command
object Command:
  sealed trait Payment extends Command
  final case class Pay(amount: Int) extends Payment:
    if amount < 0 then throw IllegalArgumentException(s"amount must be >= 0: $amount")
  final case class Refund(amount: Int, why: String) extends Payment
  case object Stop extends Command

final case class Listing(number: Int, names: String*) derives MessageCodec, CanEqual
enum Request derives MessageCodec, CanEqual:
  case Remove(numbers: Long*)
  case Clear
final case class Many[A](values: A*) derives CanEqual

/** [[Many]] with a new field. */
final case class Noted(note: Option[String], values: String*) derives CanEqual

final case class Chained(
    pair: Int *: String *: EmptyTuple,
    nested: (Long *: EmptyTuple) *: EmptyTuple
) derives MessageCodec, CanEqual

/** The types of [[Chained]] as the compiler writes them. */
final case class Unchained(pair: (Int, String), nested: Tuple1[Tuple1[Long]]) derives MessageCodec
