package undercroft.arrow

import java.nio.charset.{CharacterCodingException, CodingErrorAction, StandardCharsets}
import java.nio.ByteBuffer
import undercroft.structfile.Column

/** Stores what a field has in some rows. For one thread. */
private[arrow] trait Reader:

  /** Stores the rows of a chunk that are there; the others stay as they are. */
  def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit

private[arrow] object Reader:

  /** A field that is there or not. */
  final class Optional(bitmap: Bitmap, isDefined: Int, value: Reader) extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      val own = bitmap.of(chunk, there)
      val bytes = Array.tabulate(chunk.count)(i => if own(i) then 1.toByte else 0.toByte)
      target.put(bytes, isDefined, 1, chunk, there)
      value.store(target, chunk, own)

  /** A field that has to be there where what it is a part of is. */
  final class Required(input: Input, path: String, bitmap: Bitmap, value: Reader) extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      if bitmap.isPartial then
        val own = bitmap.of(chunk, there)
        for i <- 0 until chunk.count if there(i) && !own(i) do
          throw input.fault(
            bitmap.at,
            ArrowFault.WrongValue,
            s"`$path` is null in row ${chunk.to + i}, and no Option"
          )
      value.store(target, chunk, there)

  /** Values of so many bytes a row, as they lie or turned round. */
  final class Numbers(input: Input, buffer: Extent, offset: Int, size: Int, turned: Boolean)
      extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      // The rows of a chunk, of a size that may be large, a few MiB at a time.
      val most = Math.max(1, MostBytes / size)
      var done = 0
      while done < chunk.count do
        val count = Math.min(most, chunk.count - done)
        val bytes = input.bytes(buffer.at + (chunk.from + done) * size, count * size)
        if turned then
          for i <- 0 until count; k <- 0 until size / 2 do
            val (a, b) = (i * size + k, i * size + size - 1 - k)
            val kept = bytes(a)
            bytes(a) = bytes(b)
            bytes(b) = kept
        val part = Chunk(chunk.from + done, chunk.to + done, count)
        target.put(bytes, offset, size, part, if done == 0 then there else there.drop(done))
        done += count
  end Numbers

  /** Booleans, `count` of them a row, each a byte. */
  final class Bits(input: Input, buffer: Extent, offset: Int, count: Int) extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = new Array[Byte](chunk.count * count)
      Bitmap.unpack(input, buffer, chunk.from * count, bytes)
      target.put(bytes, offset, count, chunk, there)

  /** The numbers of cases, by the names in a dictionary. */
  final class Cases(
      input: Input,
      path: String,
      buffer: Extent,
      index: InType.Number,
      values: Vector[Option[String]],
      column: Column.Enumerated
  ) extends Reader:
    private val numbers = values.map(_.fold(-1)(column.cases.indexOf(_))).toArray

    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      val _ = stored(target, chunk, there)

    /** Stores the numbers, and answers them. */
    def stored(target: Target, chunk: Chunk, there: Array[Boolean]): Array[Int] =
      val size = index.bits / 8
      val read = input.bytes(buffer.at + chunk.from * size, chunk.count * size)
      val bytes = new Array[Byte](chunk.count * column.size)
      val found = new Array[Int](chunk.count)
      for i <- 0 until chunk.count if there(i) do
        var key = if index.signed then read(i * size + size - 1).toLong >> 7 else 0L
        for k <- size - 1 to 0 by -1 do key = key << 8 | (read(i * size + k) & 0xff)
        if key < 0 || key >= numbers.length then
          throw wrong(chunk, i, s"value $key of ${numbers.length}")
        val number = numbers(key.toInt)
        if number < 0 then
          val name = values(key.toInt).fold("null")(name => s"\"$name\"")
          throw wrong(chunk, i, s"$name, and the cases are ${column.cases.mkString(", ")}")
        found(i) = number
        for k <- 0 until column.size do
          bytes(i * column.size + k) = (number >>> 8 * k).toByte
      target.put(bytes, column.offset, column.size, chunk, there)
      found

    private def wrong(chunk: Chunk, i: Int, reason: String): ArrowException =
      input.fault(buffer.at, ArrowFault.WrongValue, s"row ${chunk.to + i} of `$path` is $reason")
  end Cases

  /** Texts, which have to be UTF-8, and to fit. */
  final class Text(input: Input, path: String, texts: Texts, offset: Int, size: Int) extends Reader:
    private val decoder = StandardCharsets.UTF_8.newDecoder.nn
      .onMalformedInput(CodingErrorAction.REPORT)
      .nn
      .onUnmappableCharacter(CodingErrorAction.REPORT)
      .nn

    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      val bytes = new Array[Byte](chunk.count * size)
      texts.each(chunk.from, chunk.count, size, there): (i, at, length) =>
        if length > size then
          throw wrong(at, chunk, i, s"has $length bytes, and there is room for $size")
        val text = texts.bytes
        System.arraycopy(text, 0, bytes, i * size, length)
        var all = 0
        for k <- 0 until length do
          if text(k) == 0 then throw wrong(at, chunk, i, "has a NUL in it")
          all |= text(k)
        if all < 0 then
          try
            val _ = decoder.decode(ByteBuffer.wrap(text, 0, length))
          catch
            case _: CharacterCodingException => throw wrong(at, chunk, i, "is not UTF-8")
      target.put(bytes, offset, size, chunk, there)

    private def wrong(at: Long, chunk: Chunk, i: Int, reason: String): ArrowException =
      input.fault(at, ArrowFault.WrongValue, s"row ${chunk.to + i} of `$path` $reason")
  end Text

  final class Record(fields: Vector[Reader]) extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      fields.foreach(_.store(target, chunk, there))

  /** Of several records the one that the tag names. */
  final class OneOf(
      input: Input,
      path: String,
      tag: Cases,
      members: Vector[Option[(Bitmap, Reader)]]
  ) extends Reader:
    def store(target: Target, chunk: Chunk, there: Array[Boolean]): Unit =
      val numbers = tag.stored(target, chunk, there)
      for (member, k) <- members.zipWithIndex; (bitmap, value) <- member do
        val own = bitmap.of(chunk, there)
        for i <- 0 until chunk.count if there(i) && own(i) != (numbers(i) == k) do
          val words = if own(i) then "has another case than its tag says" else "lacks its case"
          throw input.fault(
            bitmap.at,
            ArrowFault.WrongValue,
            s"row ${chunk.to + i} of `$path` $words"
          )
        value.store(target, chunk, own)
  end OneOf

  /** What is read at once, at the most, unless a row has more. */
  private inline val MostBytes = 4 << 20
end Reader
