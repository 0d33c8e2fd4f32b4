package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.{
  DictionaryIndices,
  FileRange,
  RangeOffsets,
  TextBuffers,
  TextualValues,
  ValidityBitmap
}
import internal.rows.{Chunk, TableWriter}
import internal.schema.ArrowType
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction, StandardCharsets}
import undercroft.file.ColumnKind

/** Decodes the values of a field and stores them in a table. Confined to one thread. */
private[arrow] trait ColumnReader:

  /** Stores the valid rows of a chunk; other rows are left unchanged. */
  def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit

private[arrow] object ColumnReader:

  /** A nullable field, stored as an Option. */
  final class Optional(bitmap: ValidityBitmap, isDefined: Int, value: ColumnReader)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val mask = bitmap.of(chunk, there)
      val bytes = Array.tabulate(chunk.count)(i => if mask(i) then 1.toByte else 0.toByte)
      target.put(bytes, isDefined, 1, chunk, there)
      value.store(target, chunk, mask)

  /** A field without nulls, except in rows whose enclosing field is null. */
  final class Required(input: FileInput, path: String, bitmap: ValidityBitmap, value: ColumnReader)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      if bitmap.isPartial then
        val mask = bitmap.of(chunk, there)
        for i <- 0 until chunk.count if there(i) && !mask(i) do
          throw input.error(
            bitmap.at,
            ArrowErrorKind.WrongValue,
            s"`$path` is null in ${chunk.place(i)}, but its field is not an Option"
          )
      value.store(target, chunk, there)

  /** Fixed-size values of `size` bytes, copied or byte-swapped. */
  final class Numbers(input: FileInput, buffer: FileRange, offset: Int, size: Int, turned: Boolean)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = input.bytes(buffer.at + chunk.from * size, chunk.count * size)
      if turned then
        for i <- 0 until chunk.count; k <- 0 until size / 2 do
          val (a, b) = (i * size + k, i * size + size - 1 - k)
          val byte = bytes(a)
          bytes(a) = bytes(b)
          bytes(b) = byte
      target.put(bytes, offset, size, chunk, there)
  end Numbers

  /** Numbers of fewer bytes than the `size` of the field, `count` per row. */
  final class Widened(
      input: FileInput,
      buffer: FileRange,
      offset: Int,
      tpe: ArrowType,
      size: Int,
      count: Int
  ) extends ColumnReader:
    private val from = tpe.numberBytes
    private val isSigned = tpe match
      case ArrowType.Number(_, signed) => signed
      case _                           => false

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val total = chunk.count * count
      val read = input.bytes(buffer.at + chunk.from * count * from, total * from)
      val bytes = new Array[Byte](total * size)
      for i <- 0 until total do
        if tpe == ArrowType.Real(16) then
          val half = (read(i * 2 + 1) << 8 | read(i * 2) & 0xff).toShort
          val bits = java.lang.Float.floatToRawIntBits(java.lang.Float.float16ToFloat(half))
          for k <- 0 until size do bytes(i * size + k) = (bits >>> 8 * k).toByte
        else
          System.arraycopy(read, i * from, bytes, i * size, from)
          if isSigned && read(i * from + from - 1) < 0 then
            for k <- from until size do bytes(i * size + k) = -1
      target.put(bytes, offset, size * count, chunk, there)
  end Widened

  /** Integers of a type with a larger range, stored as Longs; throws if one does not fit. */
  final class Longs(input: FileInput, path: String, values: TextualValues, offset: Int)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = new Array[Byte](chunk.count * 8)
      val longs = FileInput.numbers(bytes)
      values.each(chunk.from, chunk.count, there): (i, at, content, index) =>
        values.kind.long(content, index) match
          case Some(value) => longs.putLong(i * 8, value): Unit
          case None =>
            throw input.error(
              at,
              ArrowErrorKind.WrongValue,
              s"${chunk.place(i)} of `$path` is ${values.kind.text(content, index)}, " +
                "which is not in the range of a Long"
            )
      target.put(bytes, offset, 8, chunk, there)
  end Longs

  /** A field of nulls alone. */
  object Nulls extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit = ()

  /** Arrays, `count` elements per row; throws if an element of a valid row is null. */
  final class NonNull(
      input: FileInput,
      path: String,
      bitmap: ValidityBitmap,
      count: Int,
      arrays: ColumnReader
  ) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val total = chunk.count * count
      val mask = bitmap.of(chunk.items(count), Array.fill(total)(true))
      for i <- 0 until total if there(i / count) && !mask(i) do
        throw input.error(
          bitmap.at,
          ArrowErrorKind.WrongValue,
          s"${chunk.place(i / count)} of `$path` has an element that is null"
        )
      arrays.store(target, chunk, there)
  end NonNull

  /** Arrays of items, `count` per row. */
  final class Items(
      input: FileInput,
      path: String,
      bitmap: ValidityBitmap,
      column: ColumnKind.Items,
      count: Int,
      item: ColumnReader
  ) extends ColumnReader:
    private val isOptional = column.item match
      case _: ColumnKind.Optional => true
      case _                      => false

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val items = chunk.items(count)
      storeItems(target, chunk, items, Array.tabulate(items.count)(i => there(i / count)))

    /** Stores the items of the arrays of a chunk. */
    def storeItems(
        target: TableWriter,
        chunk: Chunk,
        items: Chunk,
        around: Array[Boolean]
    ): Unit =
      // Items of null arrays may be null.
      val mask = if isOptional then around else bitmap.of(items, around)
      for i <- 0 until items.count if around(i) && !mask(i) do
        throw input.error(
          bitmap.at,
          ArrowErrorKind.WrongValue,
          s"${chunk.place(i / count)} of `$path` has an element that is null"
        )
      item.store(target.items(column.offset, count, column.itemBytes), items, mask)
  end Items

  /** Lists of any length, each of which must have as many items as the array that stores it. */
  final class Lists(input: FileInput, path: String, ends: RangeOffsets, count: Int, items: Items)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      ends.load(chunk.from, chunk.count)
      for i <- 0 until chunk.count if there(i) && ends.length(i) != count do
        throw input.error(
          ends.at(i),
          ArrowErrorKind.WrongValue,
          s"${chunk.place(i)} of `$path` has ${ends.length(i)} elements, but must have $count"
        )
      var i = 0
      while i < chunk.count do
        // Null lists may have elements between those of valid ones.
        while i < chunk.count && !there(i) do i += 1
        val first = i
        while i < chunk.count && there(i) do i += 1
        if i > first then
          val rows =
            Chunk(chunk.from + first, chunk.to + first, i - first, k => chunk.place(first + k))
          val inside = rows.items(count)
          val listed = Chunk(ends.start(first), inside.to, inside.count, inside.place)
          items.storeItems(target, rows, listed, Array.fill(listed.count)(true))
    end store
  end Lists

  /** Booleans, `count` per row, each stored as a byte. */
  final class Bits(input: FileInput, buffer: FileRange, offset: Int, count: Int)
      extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = new Array[Byte](chunk.count * count)
      ValidityBitmap.unpack(input, buffer, chunk.from * count, bytes)
      target.put(bytes, offset, count, chunk, there)

  /** The cases of an enum, matched by the names in a dictionary. */
  final class Cases(
      input: FileInput,
      path: String,
      indices: DictionaryIndices,
      values: Vector[Option[String]],
      column: ColumnKind.Enumerated
  ) extends ColumnReader:
    private lazy val numbers: Array[Int] =
      val caseNumbers = column.cases.zipWithIndex.toMap
      values.map(_.fold(-1)(caseNumbers.getOrElse(_, -1))).toArray

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val _ = stored(target, chunk, there)

    /** Stores the case numbers and returns them. */
    def stored(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Array[Int] =
      indices.load(chunk.from, chunk.count)
      val bytes = new Array[Byte](chunk.count * column.size)
      val caseNumbers = new Array[Int](chunk.count)
      for i <- 0 until chunk.count if there(i) do
        val key = indices(i)
        if key < 0 || key >= numbers.length then
          throw wrong(chunk, i, s"value $key of a dictionary that has ${numbers.length} values")
        val number = numbers(key.toInt)
        if number < 0 then
          val name = values(key.toInt).fold("null")(name => s"\"$name\"")
          throw wrong(chunk, i, s"$name, but the cases are ${column.cases.mkString(", ")}")
        caseNumbers(i) = number
        for k <- 0 until column.size do
          bytes(i * column.size + k) = (number >>> 8 * k).toByte
      target.put(bytes, column.offset, column.size, chunk, there)
      caseNumbers

    private def wrong(chunk: Chunk, i: Int, reason: String): ArrowException =
      input.error(
        indices.at(i),
        ArrowErrorKind.WrongValue,
        s"${chunk.place(i)} of `$path` is $reason"
      )
  end Cases

  /** Strings; throws if one is not UTF-8, contains a NUL or exceeds the field's size. */
  final class Text(input: FileInput, path: String, texts: TextBuffers, offset: Int, size: Int)
      extends ColumnReader:
    private val decoder = StandardCharsets.UTF_8.newDecoder.nn
      .onMalformedInput(CodingErrorAction.REPORT)
      .nn
      .onUnmappableCharacter(CodingErrorAction.REPORT)
      .nn

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = new Array[Byte](chunk.count * size)
      texts.each(chunk.from, chunk.count, size, there): (i, at, length) =>
        if length > size then
          throw wrong(at, chunk, i, s"has $length bytes, but must have at most $size")
        val text = texts.bytes
        System.arraycopy(text, 0, bytes, i * size, length)
        var bits = 0
        for k <- 0 until length do
          if text(k) == 0 then throw wrong(at, chunk, i, "contains a NUL")
          bits |= text(k)
        if bits < 0 then
          try
            val _ = decoder.decode(ByteBuffer.wrap(text, 0, length))
          catch
            case _: CharacterCodingException => throw wrong(at, chunk, i, "is not UTF-8")
      target.put(bytes, offset, size, chunk, there)

    private def wrong(at: Long, chunk: Chunk, i: Int, reason: String): ArrowException =
      input.error(at, ArrowErrorKind.WrongValue, s"${chunk.place(i)} of `$path` $reason")
  end Text

  final class Record(fields: Vector[ColumnReader]) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      fields.foreach(_.store(target, chunk, there))

  /** An enum with fields: of its member structs, the one that the tag selects is valid. */
  final class OneOf(
      input: FileInput,
      path: String,
      tag: Cases,
      members: Vector[Option[(ValidityBitmap, ColumnReader)]]
  ) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val numbers = tag.stored(target, chunk, there)
      for (member, k) <- members.zipWithIndex; (bitmap, value) <- member do
        val mask = bitmap.of(chunk, there)
        for i <- 0 until chunk.count if there(i) && mask(i) != (numbers(i) == k) do
          val words =
            if mask(i) then "has a value of a case that its tag does not select"
            else "has no value of the case that its tag selects"
          throw input.error(
            bitmap.at,
            ArrowErrorKind.WrongValue,
            s"${chunk.place(i)} of `$path` $words"
          )
        value.store(target, chunk, mask)
  end OneOf
end ColumnReader
