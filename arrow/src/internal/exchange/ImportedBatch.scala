package undercroft.arrow
package internal.exchange

import internal.io.ArrowOutput
import internal.ipc.{ArrowSource, BatchPlan, BufferPlan}
import scala.collection.mutable.ArrayBuffer

/** An `ArrowArray` of another library as a record batch. The constructor checks the structs; the
  * buffers are read when the batch is written. Confined to one thread.
  */
private[arrow] final class ImportedBatch(schema: ImportedSchema, root: Long):
  import CStructs.*
  import ImportedBatch.*

  /** The values of each dictionary. */
  val dictionaries: ArrayBuffer[(Long, BatchPlan)] = ArrayBuffer()

  val planned: BatchPlan =
    val rows = checked(root, 0, Int.MaxValue, "the array", 1)
    val plan = BatchPlan(long(root + Array.Length).toInt)
    val present = nullCount(root, rows, plan.rows, "the array")
    if present != 0 then throw corrupt(s"the array has $present rows that are null")
    addChildren(plan, root, schema.fields, schema.childCount, rows, plan.rows, "the array")
    plan

  /** Adds a field: `count` rows from `from` on, of an array whose struct is at `array`. */
  private def add(
      plan: BatchPlan,
      array: Long,
      field: ImportedCField,
      from: Long,
      count: Long,
      path: String
  ): Unit =
    val tpe = field.tpe
    // The position in the buffers.
    val start = checked(array, from, count, path, bufferCount(tpe.buffers))
    checkDictionary(array, field, path)
    if tpe.buffers == CBuffers.Nulls then plan.nodes += ((count, count))
    else
      val nulls = nullCount(array, start, count, path)
      plan.nodes += ((count, nulls))
      if nulls == 0 then plan.parts += BufferPlan(0, _ => ())
      else plan.parts += bits(buffer(array, 0), start, count)
      addBuffers(plan, array, tpe.buffers, start, count, path)
    tpe.buffers match
      case CBuffers.Struct =>
        addChildren(plan, array, field.children, field.children.size, start, count, path)
      case CBuffers.Elements(size) =>
        val (first, elements) =
          try (Math.multiplyExact(start, size.toLong), Math.multiplyExact(count, size.toLong))
          catch
            case _: ArithmeticException =>
              throw corrupt(s"`$path` has $count lists of $size elements from $start on")
        addChildren(plan, array, field.children, 1, first, elements, path)
      case CBuffers.Lists(width) =>
        val (first, last) = ends(array, start, count, width)
        addChildren(plan, array, field.children, 1, first, last - first, path)
      case _ => ()
  end add

  private def addChildren(
      plan: BatchPlan,
      array: Long,
      fields: Vector[ImportedCField],
      childCount: Long,
      from: Long,
      count: Long,
      path: String
  ): Unit =
    val children = long(array + Array.Children)
    if children != childCount then
      throw corrupt(s"`$path` must have $childCount children, but has $children")
    val pointers = long(array + Array.ChildPointers)
    for field <- fields do
      val child = if pointers == 0 then 0 else long(pointers + 8L * field.index)
      if child == 0 then throw corrupt(s"child ${field.index} of `$path` is a null pointer")
      add(plan, child, field, from, count, field.name)

  private def checkDictionary(array: Long, field: ImportedCField, path: String): Unit =
    val values = long(array + Array.Dictionary)
    field.dictionary match
      case None =>
        if values != 0 then throw corrupt(s"`$path` has a dictionary, but its schema has none")
      case Some(dictionary) =>
        if values == 0 then throw corrupt(s"the dictionary of `$path` is a null pointer")
        val size = long(values + Array.Length)
        if size < 0 || size > Int.MaxValue then
          throw corrupt(s"the dictionary of `$path` has $size values")
        val plan = BatchPlan(size.toInt)
        val value = ImportedCField(field.name, 0, dictionary.tpe, true, Vector(), None)
        add(plan, values, value, 0, size, path)
        dictionaries += ((dictionary.id, plan))

  private def addBuffers(
      plan: BatchPlan,
      array: Long,
      buffers: CBuffers,
      start: Long,
      count: Long,
      path: String
  ): Unit =
    def needed(index: Int, bytes: Long): Long =
      val address = buffer(array, index)
      if address == 0 && bytes > 0 then
        throw corrupt(s"buffer $index of `$path` needs $bytes bytes, but is a null pointer")
      address
    buffers match
      case CBuffers.Values(1) => plan.parts += bits(needed(1, count), start, count)
      case CBuffers.Values(bits) =>
        val size = bits / 8
        if count > Long.MaxValue / 64 / Math.max(1, size) then
          throw corrupt(s"`$path` has $count values of $size bytes")
        plan.parts += copied(needed(1, count * size) + start * size, count * size)
      case CBuffers.Texts(width) =>
        needed(1, count): Unit
        val (first, last) = ends(array, start, count, width)
        if first < 0 || last < first then
          throw corrupt(s"the strings of `$path` are at [$first, $last)")
        plan.parts += offsets(array, start, count, width)
        plan.parts += copied(needed(2, last - first) + first, last - first)
      case CBuffers.Lists(width) =>
        needed(1, count): Unit
        val (first, last) = ends(array, start, count, width)
        if first < 0 || last < first then
          throw corrupt(s"the lists of `$path` are at [$first, $last)")
        plan.parts += offsets(array, start, count, width)
      case CBuffers.Views =>
        val views = ImportedViews(array, needed(1, count), start, count, path)
        plan.parts += views.offsets
        plan.parts += views.content
      case CBuffers.Struct | CBuffers.Elements(_) | CBuffers.Nulls => ()
    end match
  end addBuffers

  /** Checks a struct, and that it has `count` rows from `from` on; returns their position in its
    * buffers. Views have any number of buffers.
    */
  private def checked(array: Long, from: Long, count: Long, path: String, buffers: Int): Long =
    val (length, offset) = (long(array + Array.Length), long(array + Array.Offset))
    if long(array + Array.Release) == 0 then throw corrupt(s"`$path` is released already")
    val limit = if array == root then count else length
    if length < 0 || length > limit || offset < 0 || offset > Long.MaxValue / 64 - length then
      throw corrupt(s"`$path` has $length rows at offset $offset")
    if array != root && (from > length || count > length - from) then
      throw corrupt(s"`$path` must have ${from + count} rows, but has $length")
    val bufferCount = long(array + Array.BufferCount)
    val isCounted = if buffers < 0 then bufferCount >= -buffers else bufferCount == buffers
    if !isCounted || (bufferCount > 0 && long(array + Array.Buffers) == 0) then
      val wanted = if buffers < 0 then s"at least ${-buffers}" else s"$buffers"
      throw corrupt(s"`$path` must have $wanted buffers, but has $bufferCount")
    offset + from

  /** The number of nulls among rows of an array, which are counted if they have a bitmap. */
  private def nullCount(array: Long, start: Long, count: Long, path: String): Long =
    val (stated, bitmap) = (long(array + Array.NullCount), buffer(array, 0))
    if stated < -1 || stated > long(array + Array.Length) then
      throw corrupt(s"`$path` has $stated nulls in ${long(array + Array.Length)} rows")
    if stated > 0 && bitmap == 0 then
      throw corrupt(s"`$path` has $stated nulls, but its bitmap is a null pointer")
    if stated == 0 || bitmap == 0 then 0
    else
      var nulls = 0L
      var i = start
      while i < start + count do
        if !isSet(bitmap, i) then nulls += 1
        i += 1
      nulls
end ImportedBatch

private[arrow] object ImportedBatch:
  import CStructs.*

  def error(kind: ArrowErrorKind, reason: String): ArrowException =
    ArrowException(ArrowSource.StreamName, 0, kind, reason)

  def corrupt(reason: String): ArrowException = error(ArrowErrorKind.Corrupt, reason)

  def buffer(array: Long, index: Long): Long =
    if long(array + Array.BufferCount) <= index then 0
    else long(long(array + Array.Buffers) + 8 * index)

  /** The number of buffers of an array; of views, the least number, negated. */
  private def bufferCount(buffers: CBuffers): Int = buffers match
    case CBuffers.Values(_)                     => 2
    case CBuffers.Texts(_)                      => 3
    case CBuffers.Views                         => -3
    case CBuffers.Struct | CBuffers.Elements(_) => 1
    case CBuffers.Lists(_)                      => 2
    case CBuffers.Nulls                         => 0

  /** An offset of an array of strings or lists. */
  private def offset(array: Long, i: Long, width: Int): Long =
    val at = buffer(array, 1) + i * width
    if width == 4 then int(at).toLong else long(at)

  /** The first and the last offset of `count` strings or lists from `start` on. */
  private def ends(array: Long, start: Long, count: Long, width: Int): (Long, Long) =
    if count == 0 then (0L, 0L)
    else (offset(array, start, width), offset(array, start + count, width))

  /** The offsets of `count` strings or lists, from 0 on. The reader checks that they ascend. */
  private def offsets(array: Long, start: Long, count: Long, width: Int): BufferPlan =
    if count == 0 then BufferPlan(0, _ => ())
    else
      val first = offset(array, start, width)
      BufferPlan(
        (count + 1) * width,
        output =>
          for i <- 0L to count do put(output, offset(array, start + i, width) - first, width)
      )

  private def copied(address: Long, count: Long): BufferPlan =
    BufferPlan(count, output => if count > 0 then output.put(bytes(address, count), 0, 1, 1, count))

  /** `count` bits from bit `start` on, moved to the first bit of a byte. */
  private def bits(address: Long, start: Long, count: Long): BufferPlan =
    if start % 8 == 0 then copied(address + start / 8, Math.ceilDiv(count, 8L))
    else
      BufferPlan(
        Math.ceilDiv(count, 8L),
        output =>
          val (first, shift) = (address + start / 8, (start % 8).toInt)
          val last = address + (start + count - 1) / 8
          for k <- 0L until Math.ceilDiv(count, 8L) do
            val low = (byte(first + k) & 0xff) >> shift
            val high = if first + k + 1 > last then 0 else byte(first + k + 1) << (8 - shift)
            output.put((low | high).toByte)
      )

  def put(output: ArrowOutput, number: Long, width: Int): Unit =
    for k <- 0 until width do output.put((number >>> 8 * k).toByte)
end ImportedBatch
