package undercroft.struct
package internal.runtime

import internal.bytes.Fingerprint
import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary

/** The Struct of a class whose fields have type parameters, composed of their Structs.
  *
  * The layout is the one that generated code has for the class with its type arguments, and the
  * fingerprint is computed from it, so it is compared like every other. Generic code runs on this
  * instance; access by a known type is generated inline, as for every struct. A store writes the
  * fields to a buffer first, so a field that throws leaves the memory unchanged.
  *
  * @param split
  *   the values of the fields; [[ComposedStruct.Absent]] for a field that stays zero
  * @param create
  *   creates a value, given a function that loads a field by its number
  */
private[struct] final class ComposedStruct[T] private (
    shape: Shape,
    parts: Array[ComposedStruct.Part],
    split: T => Array[Any],
    create: (Int => Any) => T,
    protected val describe: StructDescription
) extends Struct[T](
      Fingerprint.of(shape),
      shape.alignedSize,
      shape.alignment,
      shape.packedSize,
      shape.columnarSize
    )(using Struct.derivation):

  def loadAligned(segment: MemorySegment, offset: Long): T =
    create(k => parts(k).struct.loadAligned(segment, offset + parts(k).aligned))

  def loadPacked(segment: MemorySegment, offset: Long): T =
    create(k => parts(k).struct.loadPacked(segment, offset + parts(k).packed))

  def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T =
    create(k => parts(k).struct.loadColumns(parts(k).columns(segment, capacity), capacity, row))

  def eachAligned(segment: MemorySegment, offset: Long, rows: Int, step: T => Boolean): Boolean =
    each(rows)(row => step(loadAligned(segment, offset + row.toLong * size)))

  def eachPacked(segment: MemorySegment, offset: Long, rows: Int, step: T => Boolean): Boolean =
    each(rows)(row => step(loadPacked(segment, offset + row.toLong * packedSize)))

  def eachColumns(
      segment: MemorySegment,
      capacity: Long,
      first: Long,
      rows: Int,
      step: T => Boolean
  ): Boolean = each(rows)(row => step(loadColumns(segment, capacity, first + row)))

  private inline def each(rows: Int)(inline step: Int => Boolean): Boolean =
    var row = 0
    while row < rows && step(row) do row += 1
    row == rows

  def storeAligned(segment: MemorySegment, offset: Long, value: T): Unit =
    val buffer = written(value, size)((part, buffer, field) =>
      part.struct.storeAligned(buffer, part.aligned, field)
    )
    MemorySegment.copy(buffer, 0, segment, offset, size)

  def storePacked(segment: MemorySegment, offset: Long, value: T): Unit =
    val buffer = written(value, packedSize)((part, buffer, field) =>
      part.struct.storePacked(buffer, part.packed, field)
    )
    MemorySegment.copy(buffer, 0, segment, offset, packedSize)

  def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: T): Unit =
    val buffer = written(value, columnarSize)((part, buffer, field) =>
      part.struct.storeColumns(part.columns(buffer, 1), 1, 0, field)
    )
    val _ = Objects.checkIndex(row, capacity)
    def place(leaf: Shape.Leaf): Long = capacity * leaf.column + row * leaf.kind.size
    for leaf <- columns do
      val _ = Objects.checkFromIndexSize(place(leaf), leaf.kind.size.toLong, segment.byteSize)
    for leaf <- columns do
      MemorySegment.copy(buffer, leaf.column, segment, place(leaf), leaf.kind.size)

  /** A buffer with the fields of a value; the bytes between them are zero. */
  private inline def written(value: T, bytes: Int)(
      inline store: (ComposedStruct.Part, MemorySegment, Any) => Unit
  ): MemorySegment =
    val buffer = MemorySegment.ofArray(new Array[Long](Math.ceilDiv(bytes, 8))).nn
    val values = split(value)
    var k = 0
    while k < parts.length do
      val field = values(k)
      if field.asInstanceOf[AnyRef] ne ComposedStruct.Absent then store(parts(k), buffer, field)
      k += 1
    buffer
end ComposedStruct

@publicInBinary private[struct] object ComposedStruct:

  /** The value of a field that is not stored. */
  private object Absent

  /** The default argument of a field. */
  enum Argument derives CanEqual:
    case Required
    case Default(value: () => Any)

    /** The code that derives the Struct cannot evaluate it. */
    case Unknown

  /** A field's Struct, and its offsets in the layouts of the whole. */
  final class Part(
      val struct: Struct[Any],
      val aligned: Int,
      val packed: Int,
      val column: Int
  ):
    /** The columns of the field. */
    def columns(segment: MemorySegment, capacity: Long): MemorySegment =
      segment.asSlice(capacity * column).nn

  /** The Struct of a class, from the names of its fields, the dimensions of its arrays, the
    * Structs, the former names and the default arguments of its fields.
    */
  @publicInBinary private[struct] def record[T](
      name: String,
      fieldNames: List[String],
      dimensions: List[List[Int]],
      structs: List[Struct[?]],
      formerNames: List[List[String]],
      arguments: List[Argument],
      split: T => Array[Any],
      create: (Int => Any) => T
  ): Struct[T] =
    val members = fieldNames.zip(structs).zip(dimensions).map:
      case ((fieldName, struct), sizes) =>
        Shape.Field(fieldName, struct.shape, dimensions = sizes)
    val ends = members.scanLeft(0)((end, field) => field.start(end) + field.shape.alignedSize)
    val packed = members.scanLeft(0)((end, field) => end + field.shape.packedSize)
    val columns = members.scanLeft(0)((end, field) => end + field.shape.columnarSize)
    val parts = structs.indices.map: k =>
      val struct = structs(k).asInstanceOf[Struct[Any]]
      Part(struct, members(k).start(ends(k)), packed(k), columns(k))
    val history = () =>
      members.indices.toList.flatMap: k =>
        val default = defaultOf(arguments(k), parts(k).struct, dimensions(k))
        val former = formerNames(k)
        val field = fieldNames(k)
        val inside = parts(k).struct.history().map(_.in(field))
        if former.isEmpty && default.isEmpty then inside
        else FieldHistory(List(field), former, default) :: inside
    val meanings = () =>
      members.indices.toList.flatMap: k =>
        parts(k).struct.meanings().map(_.in(fieldNames(k)))
    val description = StructDescription(Shape.Record(name, members), history, meanings)
    new ComposedStruct(description.shape, parts.toArray, split, create, description)
  end record

  private def defaultOf(
      argument: Argument,
      struct: Struct[Any],
      dimensions: List[Int]
  ): Option[FieldDefault] =
    argument match
      case Argument.Required => None
      case Argument.Unknown  => Some(FieldDefault(struct.shape, dimensions, None))
      case Argument.Default(value) =>
        val store = (segment: MemorySegment, isPacked: Boolean) =>
          if isPacked then struct.storePacked(segment, 0, value())
          else struct.storeAligned(segment, 0, value())
        Some(FieldDefault(struct.shape, dimensions, Some(store)))

  @publicInBinary private[struct] def option[A](
      isDefined: Struct[Boolean],
      value: Struct[A]
  ): Struct[Option[A]] =
    record[Option[A]](
      "Option",
      List("isDefined", "get"),
      List(Nil, Nil),
      List(isDefined, value),
      List(Nil, Nil),
      List(Argument.Required, Argument.Required),
      {
        case Some(value) => Array[Any](true, value)
        case None        => Array[Any](false, Absent)
      },
      load =>
        if load(0).asInstanceOf[Boolean] then Some(load(1).asInstanceOf[A]) else None
    )
end ComposedStruct
