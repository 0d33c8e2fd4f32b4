package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.{DictionaryIndices, FieldBuffers, RangeOffsets, ValueRanges}
import internal.rows.{Chunk, OutOfLineMemory, Slots, TableWriter}
import java.lang.foreign.MemorySegment
import undercroft.file.ColumnKind
import undercroft.struct.Struct
import undercroft.struct.internal.bytes.OutOfLine

/** Readers of values of any length, which are copied to memory of the table's allocator: those of a
  * chunk to one block. Confined to one thread.
  */
private[arrow] object OutOfLineReader:

  private def memory(target: TableWriter): OutOfLineMemory =
    target.outOfLine.getOrElse(throw IllegalStateException("the table has no fields out of line"))

  private def put(
      target: TableWriter,
      addresses: Array[Long],
      sizes: Array[Long],
      offset: Int,
      chunk: Chunk,
      there: Array[Boolean]
  ): Unit =
    val fields = OutOfLineMemory.fields(addresses, sizes)
    target.put(fields, offset, OutOfLineMemory.FieldBytes, chunk, there)

  /** Strings or bytes; throws if a string is not UTF-8, contains a NUL or exceeds 2 GiB. */
  final class Values(
      input: FileInput,
      path: String,
      ranges: ValueRanges,
      isText: Boolean,
      offset: Int
  ) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      def wrong(i: Int, reason: String): ArrowException =
        input.error(
          ranges.at(i),
          ArrowErrorKind.WrongValue,
          s"${chunk.place(i)} of `$path` $reason"
        )
      val sizes = ranges.load(chunk.from, chunk.count, there)
      for i <- sizes.indices if isText && sizes(i) > Int.MaxValue do
        throw wrong(i, s"has ${sizes(i)} bytes, but must have at most ${Int.MaxValue}")
      val addresses = memory(target).allocate(sizes, input)
      ranges.copy(addresses, memory(target))
      if isText then
        for i <- sizes.indices do
          val fault = OutOfLine.textFault(addresses(i), sizes(i))
          if fault.nonEmpty then throw wrong(i, fault)
      put(target, addresses, sizes, offset, chunk, there)
  end Values

  /** Strings of a dictionary, each of which is copied once for all rows of a batch, unless each row
    * has a block.
    */
  final class Cases(
      input: FileInput,
      path: String,
      field: FieldBuffers,
      dictionary: Vector[Option[String]],
      offset: Int
  ) extends ColumnReader:
    private val indices = DictionaryIndices(input, field)
    private lazy val texts = dictionary.map(_.map(_.getBytes("UTF-8").nn)).toArray
    private lazy val copies = new Array[Long](texts.length)

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      indices.load(chunk.from, chunk.count)
      val addresses = new Array[Long](chunk.count)
      val sizes = new Array[Long](chunk.count)
      for i <- 0 until chunk.count if there(i) do
        val key = indices(i)
        if key < 0 || key >= texts.length then
          throw wrong(chunk, i, s"is value $key of a dictionary that has ${texts.length} values")
        val text = texts(key.toInt).getOrElse:
          throw wrong(chunk, i, s"is value $key of its dictionary, a null")
        sizes(i) = text.length
        addresses(i) =
          if copies(key.toInt) != 0 && !memory(target).hasBlocks then copies(key.toInt)
          else
            val address = memory(target).allocate(Array(text.length.toLong), input)(0)
            memory(target).put(MemorySegment.ofArray(text).nn, 0, text.length, address, 0)
            val fault = OutOfLine.textFault(address, text.length)
            if fault.nonEmpty then throw wrong(chunk, i, fault)
            copies(key.toInt) = address
            address
      put(target, addresses, sizes, offset, chunk, there)
    end store

    private def wrong(chunk: Chunk, i: Int, reason: String): ArrowException =
      input.error(
        indices.at(i),
        ArrowErrorKind.WrongValue,
        s"${chunk.place(i)} of `$path` $reason"
      )
  end Cases

  /** Lists, as runs of packed structs behind a word with the fingerprint of their layout. The
    * elements are decoded to a buffer of one chunk of them, and copied to their runs.
    */
  final class Runs(
      input: FileInput,
      path: String,
      lists: ListRanges,
      itemRows: Long,
      struct: Struct[?],
      column: ColumnKind,
      item: ColumnReader,
      offset: Int
  ) extends ColumnReader:
    private val stride = struct.packedSize
    private val chunkItems = Math.min(BatchReader.chunkRows(Vector(column)), itemRows).toInt
    private lazy val buffer =
      MemorySegment.ofArray(new Array[Long](Math.ceilDiv(chunkItems.toLong * stride, 8L).toInt)).nn

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      lists.load(chunk.from, chunk.count)
      val sizes = Array.tabulate(chunk.count)(i => if there(i) then size(i) else 0)
      val addresses = memory(target).allocate(sizes, input)
      val header = MemorySegment.ofArray(Array(struct.fingerprint)).nn
      for i <- sizes.indices if sizes(i) > 0 do
        memory(target).put(header, 0, HeaderBytes, addresses(i), 0)
      var i = 0
      while i < chunk.count do
        // Elements of null lists may be between those of valid ones.
        while i < chunk.count && sizes(i) == 0 do i += 1
        val first = i
        while i < chunk.count && (sizes(i) > 0 || lists.length(i) == 0) do i += 1
        if i > first then storeItems(memory(target), chunk, addresses, first, i)
      put(target, addresses, sizes, offset, chunk, there)

    /** The bytes of a run; 0 without elements. */
    private def size(i: Int): Long =
      val count = lists.length(i)
      if count == 0 then 0
      else
        try Math.addExact(Math.multiplyExact(count, stride.toLong), HeaderBytes)
        catch
          case _: ArithmeticException =>
            throw input.corrupt(
              lists.at(i),
              s"$count elements of `$path` of $stride bytes exceed ${Long.MaxValue} bytes"
            )

    /** Stores the elements of the lists `[first, end)`, which follow each other. */
    private def storeItems(
        memory: OutOfLineMemory,
        chunk: Chunk,
        addresses: Array[Long],
        first: Int,
        end: Int
    ): Unit =
      val until = lists.start(end - 1) + lists.length(end - 1)
      val writer = TableWriter(Slots.Packed(buffer, stride), None)
      var from = lists.start(first)
      // The list of the next element.
      var list = first
      while from < until do
        val count = Math.min(chunkItems, until - from).toInt
        buffer.asSlice(0, count.toLong * stride).nn.fill(0): Unit
        val start = from
        val place = (k: Int) => this.place(chunk, first, end, start + k)
        item.store(writer, Chunk(from, 0, count, place), Array.fill(count)(true))
        var done = 0
        while done < count do
          val inList = from + done - lists.start(list)
          val part = Math.min(count - done, lists.length(list) - inList).toInt
          val at = HeaderBytes + inList * stride
          memory.put(buffer, done.toLong * stride, part.toLong * stride, addresses(list), at)
          done += part
          if inList + part == lists.length(list) then list += 1
        from += count
      end while
    end storeItems

    /** Names an element in errors. */
    private def place(chunk: Chunk, first: Int, end: Int, element: Long): String =
      var list = first
      while list < end - 1 && lists.start(list) + lists.length(list) <= element do list += 1
      s"${chunk.place(list)}, element ${element - lists.start(list)}"
  end Runs

  /** The bytes of the fingerprint before the structs of a run. */
  private inline val HeaderBytes = 8L
end OutOfLineReader

/** The elements of the lists of a field. Confined to one thread. */
private[arrow] trait ListRanges:
  /** Finds the lists of a chunk, after a check that they are inside their elements. */
  def load(from: Long, count: Int): Unit

  /** The first element of list `i` of the chunk. */
  def start(i: Int): Long
  def length(i: Int): Long

  /** A position in the file for errors of list `i`. */
  def at(i: Int): Long

private[arrow] object ListRanges:
  /** Lists with offsets. */
  final class Listed(input: FileInput, field: FieldBuffers, width: Int, itemRows: Long)
      extends ListRanges:
    private val ends = RangeOffsets(input, field, width, itemRows, "a list", "elements")
    def load(from: Long, count: Int): Unit = ends.load(from, count)
    def start(i: Int): Long = ends.start(i)
    def length(i: Int): Long = ends.length(i)
    def at(i: Int): Long = ends.at(i)

  /** Lists of `size` elements. */
  final class Fixed(size: Int, position: Long) extends ListRanges:
    private var first = 0L
    def load(from: Long, count: Int): Unit = first = from
    def start(i: Int): Long = (first + i) * size
    def length(i: Int): Long = size
    def at(i: Int): Long = position
end ListRanges
