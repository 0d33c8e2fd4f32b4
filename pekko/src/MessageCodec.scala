package undercroft.pekko

import internal.codec.{
  MessageContent,
  OutOfLineCodecs,
  RecordCodec,
  UnionCodec,
  ValueCodec,
  WholeValue
}
import internal.macros.CodecDerivation
import internal.wire.WireManifest
import scala.annotation.{implicitNotFound, publicInBinary}
import undercroft.memory.Allocator
import undercroft.struct.{BytesRef, TextRef}

/** Writes and reads messages of type `T` that go to other nodes. Created at compile time, without
  * reflection at run time.
  *
  * `T` is a case class, an enum or a sealed hierarchy. Its fields may have these types:
  *
  *   - primitives, String, `Text[N]`, `IArray[Byte]`, and InlineArray of any type of this list
  *   - Option, tuples with and without names, Vector, List, Seq, also as a repeated parameter,
  *     IndexedSeq, Set, Map
  *   - case classes, enums and sealed hierarchies with `derives Struct`, `derives MessageCodec` or
  *     type arguments
  *   - opaque types, types with a `Struct.StoredAs`, types with a given MessageCodec
  *   - references: ActorRef and Reply of Undercroft, typed ActorRef of Pekko
  *   - TextRef and BytesRef, if a given codec names the receiver's memory for the copy:
  *     [[MessageCodec.textRefs]], [[MessageCodec.bytesRefs]]
  *
  * Any other type does not compile, and the error names the field, its type and the cure. A Ref is
  * refused, as it refers to memory of the sender, and so is a type that contains itself.
  *
  * A codec is immutable and thread-safe. Writing and reading take time and memory proportional to
  * the message. Register it by [[UndercroftSerialization]].
  *
  * {{{
  * enum Account:
  *   case Deposit(amount: Long)
  *   case Close
  * println(MessageCodec[Account].manifests) // Vector(Account#Deposit(amount:Long), Account#Close())
  * }}}
  */
@implicitNotFound(
  "${T} has no MessageCodec: write `derives MessageCodec` at its class, or `MessageCodec[${T}]`"
)
final class MessageCodec[T] private[pekko] (
    /** The name of the type in manifests: the full name of its class. */
    val typeName: String,
    @publicInBinary private[pekko] val value: ValueCodec[T],
    private[pekko] val classes: Vector[Class[?]]
):

  /** The same codec with another name for the type. Both nodes must use one name: after a class was
    * renamed or moved, keep the old one.
    *
    * {{{
    * final case class Booked(amount: Int)
    * println(MessageCodec[Booked].named("shop.Paid").manifests) // Vector(shop.Paid(amount:Int))
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the name is empty
    */
  def named(typeName: String): MessageCodec[T] =
    if typeName.isEmpty then throw IllegalArgumentException("the name of a message type is empty")
    new MessageCodec(typeName, value, classes)

  /** The manifests of the messages, one for each case: the name of the type, the name of the case,
    * and the names and types of the fields.
    *
    * {{{
    * final case class Booked(amount: Int, note: Option[String])
    * println(MessageCodec[Booked].named("Booked").manifests)
    * // Vector(Booked(amount:Int,note:Option[String]))
    * }}}
    */
  def manifests: Vector[String] = messages.map(_._1.show)

  /** The manifest and the codec of each case. */
  private[pekko] lazy val messages: Vector[(WireManifest, MessageContent[T])] = value match
    case union: UnionCodec[T] =>
      union.cases.toVector.map: member =>
        val codec = member.codec
        (WireManifest(typeName, Some(member.name), codec.wireType, isWhole = false), codec)
    case record: RecordCodec[T] =>
      Vector((WireManifest(typeName, None, record.wireType, isWhole = false), record))
    case other =>
      Vector((WireManifest(typeName, None, other.wireType, isWhole = true), WholeValue(other)))

  /** The index of a message's manifest. */
  private[pekko] def caseNumber(message: T): Int = value match
    case union: UnionCodec[T] => union.caseNumber(message)
    case _                    => 0

  override def toString: String = s"MessageCodec[$typeName]"
end MessageCodec

object MessageCodec:

  /** The codec of a type: the given one, or a derived one.
    *
    * {{{
    * final case class Booked(amount: Int)
    * val setup = UndercroftSerialization(MessageCodec[Booked])
    * }}}
    */
  inline def apply[T]: MessageCodec[T] = ${ CodecDerivation.apply[T] }

  /** A derived codec, for `derives MessageCodec` and for givens.
    *
    * {{{
    * final case class Line(item: String, amount: Int) derives MessageCodec
    * final case class Order(lines: Vector[Line])
    * println(MessageCodec[Order].named("Order").manifests)
    * // Vector(Order(lines:Seq[(item:String,amount:Int)]))
    * }}}
    */
  inline def derived[T]: MessageCodec[T] = ${ CodecDerivation.derived[T] }

  /** A codec that sends values of `A`, a class, as values of `B`, a type that can be a field of a
    * message. `A` may be an enum, an interface or a class with subclasses: a message of a subclass
    * without a codec of its own is sent by the codec of its nearest superclass. Both functions must
    * be pure and thread-safe. An exception or a null of `from` becomes a
    * [[MessageFormatException]].
    *
    * {{{
    * import java.time.Instant
    * given MessageCodec[Instant] =
    *   MessageCodec.sentAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_))
    * final case class Tick(at: Instant, price: Int)
    * println(MessageCodec[Tick].named("Tick").manifests) // Vector(Tick(at:Long,price:Int))
    * }}}
    */
  inline def sentAs[A, B](to: A => B)(from: B => A): MessageCodec[A] =
    ${ CodecDerivation.sentAs[A, B]('to, 'from) }

  /** A codec of texts of any length: sent as a String, and copied by the receiver to memory of an
    * allocator, which owns the copy. A text in a message that stays on its node is not copied.
    *
    * Messages are read on threads of Pekko, so the memory is a shared region, or `Malloc`. `memory`
    * is evaluated for each text: an application can replace the region, and close an old one when
    * no actor uses its texts. The copy of a message that is rejected or repeated later remains
    * until then. An exception of `memory`, for example at a budget's limit, rejects the message.
    *
    * {{{
    * import undercroft.memory.Region
    * import undercroft.struct.TextRef
    * object Received:
    *   val region: Region = Region.shared("received")
    * given MessageCodec[TextRef] = MessageCodec.textRefs(Received.region)
    * final case class Article(id: Int, body: TextRef)
    * println(MessageCodec[Article].named("Article").manifests) // Vector(Article(id:Int,body:String))
    * Received.region.close()
    * }}}
    */
  def textRefs(memory: => Allocator): MessageCodec[TextRef] =
    val codec = OutOfLineCodecs.textRefs(() => memory)
    new MessageCodec("undercroft.struct.TextRef", codec, Vector(classOf[TextRef]))

  /** A codec of bytes of any length, in the same way.
    *
    * {{{
    * import undercroft.memory.Region
    * import undercroft.struct.BytesRef
    * object Received:
    *   val region: Region = Region.shared("received")
    * given MessageCodec[BytesRef] = MessageCodec.bytesRefs(Received.region)
    * final case class Image(width: Int, pixels: BytesRef)
    * println(MessageCodec[Image].named("Image").manifests) // Vector(Image(width:Int,pixels:Bytes))
    * Received.region.close()
    * }}}
    */
  def bytesRefs(memory: => Allocator): MessageCodec[BytesRef] =
    val codec = OutOfLineCodecs.bytesRefs(() => memory)
    new MessageCodec("undercroft.struct.BytesRef", codec, Vector(classOf[BytesRef]))
end MessageCodec
