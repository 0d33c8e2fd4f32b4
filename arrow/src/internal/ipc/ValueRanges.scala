package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.rows.OutOfLineMemory
import internal.schema.ArrowType
import java.lang.foreign.MemorySegment
import undercroft.memory.internal.cage.Cage

/** The bytes of the values of a field of variable length. Confined to one thread. */
private[arrow] trait ValueRanges:

  /** Finds the values of the valid rows of a chunk, after a check that they are in their buffers;
    * returns their lengths, of other rows 0.
    */
  def load(from: Long, count: Int, there: Array[Boolean]): Array[Long]

  /** The position in the file of a loaded value. */
  def at(i: Int): Long

  /** Copies the loaded values to their addresses. */
  def copy(addresses: Array[Long], memory: OutOfLineMemory): Unit

private[arrow] object ValueRanges:

  /** The values of a field without a dictionary, if they are stored one after the other. */
  def of(input: FileInput, field: FieldBuffers): Option[ValueRanges] = field.field.tpe match
    case ArrowType.Utf8(width)                     => Some(Offsets(input, field, width))
    case ArrowType.Binary(width)                   => Some(Offsets(input, field, width))
    case ArrowType.Utf8View | ArrowType.BinaryView => Some(Views(input, field))
    case _                                         => None

  /** Strings that are computed, such as those of dates. */
  def ofTexts(texts: TextBuffers): ValueRanges = Computed(texts)

  /** Values stored contiguously, with a buffer of offsets. */
  private final class Offsets(input: FileInput, field: FieldBuffers, width: Int)
      extends ValueRanges:
    private val ends = RangeOffsets(input, field, width, field.buffers(2).bytes, "a value", "bytes")
    private val data = field.buffers(2)
    private var lengths = new Array[Long](0)

    def load(from: Long, count: Int, there: Array[Boolean]): Array[Long] =
      ends.load(from, count)
      lengths = Array.tabulate(count)(i => if there(i) then ends.length(i) else 0)
      lengths

    def at(i: Int): Long = data.at + ends.start(i)

    def copy(addresses: Array[Long], memory: OutOfLineMemory): Unit =
      var i = 0
      while i < lengths.length do
        val first = i
        // One copy for values that follow each other in the file and in memory.
        var count = lengths(i)
        i += 1
        while i < lengths.length && (lengths(i) == 0 ||
            (count > 0 && at(i) == at(first) + count &&
              addresses(i) == Cage.moved(addresses(first), count)))
        do
          count += lengths(i)
          i += 1
        memory.copy(input, at(first), count, addresses(first))
  end Offsets

  /** Views: up to 12 bytes are stored inline, longer values in one of several buffers. */
  private final class Views(input: FileInput, field: FieldBuffers) extends ValueRanges:
    private val views = ViewBuffer(input, field)
    private var content = new Array[Byte](0)
    private var places = new Array[Long](0)
    private var lengths = new Array[Long](0)

    def load(from: Long, count: Int, there: Array[Boolean]): Array[Long] =
      content = views.load(from, count)
      places = new Array[Long](count)
      lengths = new Array[Long](count)
      for i <- 0 until count if there(i) do
        val (place, length) = views.range(from, i)
        places(i) = place
        lengths(i) = length
      lengths

    def at(i: Int): Long = places(i)

    def copy(addresses: Array[Long], memory: OutOfLineMemory): Unit =
      val inline = MemorySegment.ofArray(content).nn
      for i <- lengths.indices if lengths(i) > 0 do
        if lengths(i) <= ViewBuffer.Inlined then
          memory.put(inline, i * ViewBuffer.ViewBytes + 4L, lengths(i), addresses(i), 0)
        else memory.copy(input, places(i), lengths(i), addresses(i))
  end Views

  private final class Computed(texts: TextBuffers) extends ValueRanges:
    private val content = java.io.ByteArrayOutputStream()
    private var places = new Array[Long](0)
    private var lengths = new Array[Long](0)

    def load(from: Long, count: Int, there: Array[Boolean]): Array[Long] =
      content.reset()
      places = new Array[Long](count)
      lengths = new Array[Long](count)
      texts.each(from, count, LongestText, there): (i, at, length) =>
        places(i) = at
        lengths(i) = length
        content.write(texts.bytes, 0, length)
      lengths

    def at(i: Int): Long = places(i)

    def copy(addresses: Array[Long], memory: OutOfLineMemory): Unit =
      val segment = MemorySegment.ofArray(content.toByteArray.nn).nn
      var from = 0L
      for i <- lengths.indices do
        memory.put(segment, from, lengths(i), addresses(i), 0)
        from += lengths(i)
  end Computed

  /** More bytes than a computed text or a value of a dictionary has. */
  private inline val LongestText = 1 << 13
end ValueRanges
