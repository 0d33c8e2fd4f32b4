package undercroft.pekko
package internal.codec

import internal.wire.*
import org.apache.pekko.actor.typed
import scala.annotation.publicInBinary
import scala.collection.mutable.Builder
import undercroft.actor.{ActorRef, Reply}
import undercroft.struct.{InlineArray, Text}

/** The codecs of all types but records and unions: generated code composes them. */
@publicInBinary private[pekko] object ValueCodecs:

  val boolean: ValueCodec[Boolean] =
    PrimitiveCodec(WirePrimitive.Boolean, _.boolean())((value, out) => out.boolean(value))
  val byte: ValueCodec[Byte] =
    PrimitiveCodec(WirePrimitive.Byte, _.byte())((value, out) => out.byte(value))
  val short: ValueCodec[Short] =
    PrimitiveCodec(WirePrimitive.Short, _.short())((value, out) => out.short(value))
  val char: ValueCodec[Char] =
    PrimitiveCodec(WirePrimitive.Char, _.char())((value, out) => out.char(value))
  val int: ValueCodec[Int] =
    PrimitiveCodec(WirePrimitive.Int, _.int())((value, out) => out.int(value))
  val long: ValueCodec[Long] =
    PrimitiveCodec(WirePrimitive.Long, _.long())((value, out) => out.long(value))
  val float: ValueCodec[Float] =
    PrimitiveCodec(WirePrimitive.Float, _.float())((value, out) => out.float(value))
  val double: ValueCodec[Double] =
    PrimitiveCodec(WirePrimitive.Double, _.double())((value, out) => out.double(value))

  private final class PrimitiveCodec[T](kind: WirePrimitive, from: WireInput => T)(
      to: (T, WireOutput) => Unit
  ) extends ValueCodec[T]:
    val wireType: WireType = WireType.Primitive(kind)
    def write(value: T, out: WireOutput): Unit = to(value, out)
    def read(in: WireInput): T = from(in)

    override protected def converted(written: WireType, path: FieldPath): WireReader[T] =
      val reader = written match
        case WireType.Primitive(narrow) => WirePrimitive.widened(narrow, kind)
        case _                          => None
      reader.getOrElse(path.mismatch(written, wireType)).asInstanceOf[WireReader[T]]

  val string: ValueCodec[String] = new ValueCodec[String]:
    val wireType: WireType = WireType.Str
    def write(value: String, out: WireOutput): Unit = out.string(value)
    def read(in: WireInput): String = in.string()

    override protected def converted(written: WireType, path: FieldPath): WireReader[String] =
      written match
        case WireType.Text(_) => this
        case _                => path.mismatch(written, wireType)

  def text[N <: Int](maxBytes: Int): ValueCodec[Text[N]] = TextCodec(maxBytes)

  private final class TextCodec[N <: Int](maxBytes: Int) extends ValueCodec[Text[N]]:
    val wireType: WireType = WireType.Text(maxBytes)
    def write(value: Text[N], out: WireOutput): Unit = out.string(value.string)

    def read(in: WireInput): Text[N] =
      Text[Int](readText(in, maxBytes))(using ValueOf(maxBytes)).asInstanceOf[Text[N]]

    override protected def converted(written: WireType, path: FieldPath): WireReader[Text[N]] =
      written match
        case WireType.Text(narrow) if narrow <= maxBytes => this
        case _                                           => path.mismatch(written, wireType)
  end TextCodec

  val bytes: ValueCodec[IArray[Byte]] = new ValueCodec[IArray[Byte]]:
    val wireType: WireType = WireType.Bytes
    def write(value: IArray[Byte], out: WireOutput): Unit =
      out.bytes(value.asInstanceOf[Array[Byte]]) // read only
    def read(in: WireInput): IArray[Byte] = IArray.unsafeFromArray(in.bytes())

  /** A text without NUL of at most `maxBytes` bytes. */
  private[codec] def readText(in: WireInput, maxBytes: Int = Int.MaxValue): String =
    val from = in.offset
    val text = in.string(maxBytes)
    val nul = text.indexOf('\u0000')
    if nul >= 0 then
      in.fail(
        MessageFault.InvalidValue,
        from,
        in.offset,
        s"a text at offset $from has a NUL at index $nul"
      )
    text

  // ---- classes

  def field(name: String, codec: ValueCodec[?], default: (() => Any) | Null): RecordField =
    RecordField(name, codec, default)

  def record[T](
      fields: List[RecordField],
      write: (T, WireOutput) => Unit,
      read: WireInput => T,
      construct: Array[Any] => T
  ): RecordCodec[T] = RecordCodec(fields, write, read, construct)

  /** The codec of a tuple, with other names for its fields. */
  def named[T, N](tuple: RecordCodec[T], fields: List[RecordField]): ValueCodec[N] =
    tuple.withFields(fields).asInstanceOf[ValueCodec[N]]

  def union[T](cases: List[UnionCase[T]], numberOf: T => Int): UnionCodec[T] =
    UnionCodec(cases, numberOf)

  def unionCase[T](name: String, codec: RecordCodec[T]): UnionCase[T] = UnionCase(name, codec)

  /** The codec of a case as one of its type: it is called with values of that case only. */
  def caseOf[C, T](codec: RecordCodec[C]): RecordCodec[T] = codec.asInstanceOf[RecordCodec[T]]

  def message[T](
      typeName: String,
      codec: ValueCodec[T],
      classes: Vector[Class[?]]
  ): MessageCodec[T] = new MessageCodec(typeName, codec, classes)

  // ---- references

  private abstract class RefCodec[T](val wireType: WireType) extends ValueCodec[T]:
    def resolve(text: String, refs: WireRefs): T

    final def read(in: WireInput): T =
      val from = in.offset
      val text = in.string()
      try resolve(text, in.refs)
      catch
        case scala.util.control.NonFatal(cause) =>
          in.fail(
            MessageFault.Rejected,
            from,
            in.offset,
            s"the reference '${MessageFormatException.shorten(text)}' at offset $from was " +
              s"rejected: $cause",
            cause
          )

  def actorRef[U]: ValueCodec[ActorRef[U]] = actorRefs.asInstanceOf[ValueCodec[ActorRef[U]]]
  private val actorRefs: ValueCodec[ActorRef[Any]] =
    new RefCodec[ActorRef[Any]](WireType.Reference):
      def write(ref: ActorRef[Any], out: WireOutput): Unit =
        out.string(out.refs.write(ref))
      def resolve(text: String, refs: WireRefs): ActorRef[Any] = refs.read(text)

  def reply[U]: ValueCodec[Reply[U]] = replies.asInstanceOf[ValueCodec[Reply[U]]]
  private val replies: ValueCodec[Reply[Any]] =
    new RefCodec[Reply[Any]](WireType.Reference):
      def write(ref: Reply[Any], out: WireOutput): Unit = out.string(out.refs.write(ref))
      def resolve(text: String, refs: WireRefs): Reply[Any] = refs.readReply(text)

  def pekkoRef[U]: ValueCodec[typed.ActorRef[U]] =
    pekkoRefs.asInstanceOf[ValueCodec[typed.ActorRef[U]]]
  private val pekkoRefs: ValueCodec[typed.ActorRef[Any]] =
    new RefCodec[typed.ActorRef[Any]](WireType.PekkoReference):
      def write(ref: typed.ActorRef[Any], out: WireOutput): Unit =
        out.string(out.refs.writePekko(ref))
      def resolve(text: String, refs: WireRefs): typed.ActorRef[Any] = refs.readPekko(text)

  // ---- values of values

  def option[A](of: ValueCodec[A]): ValueCodec[Option[A]] = OptionCodec(of)

  private[codec] final class OptionCodec[A](of: ValueCodec[A]) extends ValueCodec[Option[A]]:
    val wireType: WireType = WireType.Optional(of.wireType)

    def write(value: Option[A], out: WireOutput): Unit = value match
      case Some(inner) =>
        out.boolean(true)
        of.write(inner, out)
      case None => out.boolean(false)

    def read(in: WireInput): Option[A] = if in.boolean() then Some(of.read(in)) else None

    override protected def converted(written: WireType, path: FieldPath): WireReader[Option[A]] =
      written match
        case WireType.Optional(inner) =>
          val reader = of.readerOf(inner, path)
          in => if in.boolean() then Some(reader.read(in)) else None
        case _ => path.mismatch(written, wireType)
  end OptionCodec

  def vector[A](of: ValueCodec[A]): ValueCodec[Vector[A]] =
    CollectionCodec(of, WireType.Sequence(of.wireType), () => Vector.newBuilder[A])
  def list[A](of: ValueCodec[A]): ValueCodec[List[A]] =
    CollectionCodec(of, WireType.Sequence(of.wireType), () => List.newBuilder[A])
  def seq[A](of: ValueCodec[A]): ValueCodec[Seq[A]] =
    CollectionCodec(of, WireType.Sequence(of.wireType), () => Seq.newBuilder[A])
  def indexedSeq[A](of: ValueCodec[A]): ValueCodec[IndexedSeq[A]] =
    CollectionCodec(of, WireType.Sequence(of.wireType), () => IndexedSeq.newBuilder[A])
  def set[A](of: ValueCodec[A]): ValueCodec[Set[A]] =
    CollectionCodec(of, WireType.SetOf(of.wireType), () => Set.newBuilder[A])

  private final class CollectionCodec[A, C <: Iterable[A]](
      of: ValueCodec[A],
      val wireType: WireType,
      builder: () => Builder[A, C]
  ) extends ValueCodec[C]:
    def write(values: C, out: WireOutput): Unit =
      out.count(values.size)
      values.foreach(value => of.write(value, out))

    def read(in: WireInput): C = readAll(in, of)

    private def readAll(in: WireInput, of: WireReader[A]): C =
      var left = in.count("an element")
      val values = builder()
      while left > 0 do
        values += of.read(in)
        left -= 1
      values.result()

    override protected def converted(written: WireType, path: FieldPath): WireReader[C] =
      (written, wireType) match
        case (WireType.Sequence(inner), WireType.Sequence(_)) => all(inner, path)
        case (WireType.SetOf(inner), WireType.SetOf(_))       => all(inner, path)
        case _                                                => path.mismatch(written, wireType)

    private def all(inner: WireType, path: FieldPath): WireReader[C] =
      val reader = of.readerOf(inner, path)
      in => readAll(in, reader)
  end CollectionCodec

  def map[K, V](key: ValueCodec[K], value: ValueCodec[V]): ValueCodec[Map[K, V]] =
    MapCodec(key, value)

  private final class MapCodec[K, V](key: ValueCodec[K], value: ValueCodec[V])
      extends ValueCodec[Map[K, V]]:
    val wireType: WireType = WireType.MapOf(key.wireType, value.wireType)

    def write(values: Map[K, V], out: WireOutput): Unit =
      out.count(values.size)
      values.foreachEntry: (k, v) =>
        key.write(k, out)
        value.write(v, out)

    def read(in: WireInput): Map[K, V] = readAll(in, key, value)

    private def readAll(in: WireInput, key: WireReader[K], value: WireReader[V]): Map[K, V] =
      var left = in.count("an entry")
      val values = Map.newBuilder[K, V]
      while left > 0 do
        val next = key.read(in)
        values += next -> value.read(in)
        left -= 1
      values.result()

    override protected def converted(written: WireType, path: FieldPath): WireReader[Map[K, V]] =
      written match
        case WireType.MapOf(k, v) =>
          val keys = key.readerOf(k, path)
          val values = value.readerOf(v, path)
          in => readAll(in, keys, values)
        case _ => path.mismatch(written, wireType)
  end MapCodec

  def inlineArray[A, N <: Int](of: ValueCodec[A])(using
      size: ValueOf[N],
      element: InlineArray.Element[A]
  ): ValueCodec[InlineArray[A, N]] = InlineArrayCodec(of)

  private final class InlineArrayCodec[A, N <: Int](of: ValueCodec[A])(using
      size: ValueOf[N],
      element: InlineArray.Element[A]
  ) extends ValueCodec[InlineArray[A, N]]:
    val wireType: WireType = WireType.ArrayOf(of.wireType, size.value)

    def write(values: InlineArray[A, N], out: WireOutput): Unit =
      var i = 0
      while i < size.value do
        of.write(values(i), out)
        i += 1

    def read(in: WireInput): InlineArray[A, N] = InlineArray.tabulate[A, N](_ => of.read(in))

    override protected def converted(
        written: WireType,
        path: FieldPath
    ): WireReader[InlineArray[A, N]] = written match
      case WireType.ArrayOf(inner, count) if count == size.value =>
        val reader = of.readerOf(inner, path)
        in => InlineArray.tabulate[A, N](_ => reader.read(in))
      case _ => path.mismatch(written, wireType)
  end InlineArrayCodec

  /** Values of `A` as values of `B`. */
  def sentAs[A, B](of: ValueCodec[B], to: A => B, from: B => A): ValueCodec[A] =
    ConvertedCodec(of, to, from)

  private final class ConvertedCodec[A, B](of: ValueCodec[B], to: A => B, from: B => A)
      extends ValueCodec[A]:
    def wireType: WireType = of.wireType
    def write(value: A, out: WireOutput): Unit = of.write(to(value), out)
    def read(in: WireInput): A = readBy(of, in)

    private def readBy(reader: WireReader[B], in: WireInput): A =
      val start = in.offset
      val value = from(reader.read(in))
      if value.asInstanceOf[AnyRef | Null] eq null then
        in.fail(MessageFault.Rejected, start, in.offset, "a user's codec returned null")
      value

    override protected def converted(written: WireType, path: FieldPath): WireReader[A] =
      val reader = of.readerOf(written, path)
      in => readBy(reader, in)
end ValueCodecs
