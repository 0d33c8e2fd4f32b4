package undercroft.arrow
package internal.columns

import internal.io.ArrowOutput
import internal.rows.{Validity, ValuePlaces}
import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.struct.Struct
import undercroft.struct.internal.bytes.{OutOfLine, RunBytes}

/** The addresses and lengths of the values out of line of a field, for the slots of a batch. They
  * are loaded once, so that the plan has the sizes of the written values. An absent value has no
  * bytes. Confined to one thread.
  */
private[arrow] final class OutOfLineValues(
    memory: MemorySegment,
    places: ValuePlaces,
    count: Int,
    there: List[Validity]
):
  private val addresses = new Array[Long](count)
  private val lengths = new Array[Long](count)

  locally:
    var i = 0
    while i < count do
      if there.forall(_(i)) then
        val at = places.at(i)
        addresses(i) = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at)
        lengths(i) = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8)
      i += 1

  def length(i: Int): Long = lengths(i)

  /** The number of all bytes. */
  def totalBytes: Long =
    var total = 0L
    var i = 0
    while i < count do
      if lengths(i) < 0 then throw IllegalStateException(s"a value has ${lengths(i)} bytes")
      total = Math.addExact(total, lengths(i))
      i += 1
    total

  /** Throws if the memory of a value is freed. */
  def check(): Unit =
    var i = 0
    while i < count do
      OutOfLine.checkLive(addresses(i), lengths(i))
      i += 1

  /** The fault of a string as text; empty if it is UTF-8 without NUL. */
  def textFault(i: Int): String = OutOfLine.textFault(addresses(i), lengths(i))

  def put(i: Int, output: ArrowOutput): Unit = output.putOutOfLine(addresses(i), lengths(i))

  /** The offsets of values with these lengths, whose sum is an Int. */
  def ends(length: Int => Long): Array[Int] =
    val ends = new Array[Int](count + 1)
    var i = 0
    while i < count do
      ends(i + 1) = Math.toIntExact(ends(i) + length(i))
      i += 1
    ends

  /** The number of structs of all runs, by their lengths alone. */
  def structCount(struct: Struct[?]): Long =
    var total = 0L
    var i = 0
    while i < count do
      total = Math.addExact(total, RunBytes.count(lengths(i), struct.packedSize))
      i += 1
    total

  /** The number of structs of a run, whose memory and layout are checked. */
  def checkedStructs(i: Int, struct: Struct[?]): Long =
    RunBytes.checkedCount(addresses(i), lengths(i), struct)

  /** Copies the structs of all runs one after the other. */
  def copyStructs(ends: Array[Int], struct: Struct[?], target: MemorySegment): Unit =
    val stride = struct.packedSize.toLong
    var i = 0
    while i < count do
      val bytes = (ends(i + 1) - ends(i)) * stride
      OutOfLine.copyTo(addresses(i), RunBytes.HeaderBytes, bytes, target, ends(i) * stride)
      i += 1
end OutOfLineValues
