package undercroft.arrow

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.file.Type
import undercroft.structfile.{Column, Lanes, TextLane, given}

/** Plans some rows as a record batch. What is longer or shorter by what it holds is measured here;
  * nothing is written yet.
  */
private[arrow] final class RowsPlan(lanes: Lanes, from: Long, rows: Int, output: Output):
  val planned: Planned = Planned(rows)
  import planned.{nodes, parts}

  private def lane(offset: Int, size: Int): Long =
    lanes.start(offset, size) + from * lanes.step(size)

  /** Adds a field.
    *
    * @param own
    *   whether it is there, if it may be missing
    * @param around
    *   whether what it is a part of is there
    */
  def add(column: Column, own: Option[Presence] = None, around: List[Presence] = Nil): Unit =
    val there = own.toList ++ around
    column match
      case Column.Value(_, offset, kind, _, bigEndian) =>
        node(rows, own)
        values(offset, kind, bigEndian)
      case number: Column.Enumerated =>
        node(rows, own)
        numbers(number, there)
      case Column.Text(_, offset, size) =>
        node(rows, own)
        texts(offset, size, there)
      case Column.Opaque(_, offset, size) =>
        node(rows, own)
        raw(offset, size)
      case Column.Elements(_, offset, kind, count) =>
        node(rows, own)
        node(rows.toLong * count, None)
        elements(offset, kind, count)
      case Column.Record(_, fields) =>
        node(rows, own)
        fields.foreach(add(_, None, there))
      case Column.Optional(_, isDefined, value) =>
        val present = Presence.ifSet(lanes.memory, lane(isDefined, 1), lanes.step(1))
        value match
          case inner: Column.Optional =>
            node(rows, Some(present))
            add(inner, None, present :: there)
          case other => add(other, Some(present), there)
      case Column.OneOf(_, tag, members) =>
        node(rows, own)
        add(tag, None, there)
        for member <- ArrowSchema.shown(members) do
          val number = members.indexOf(member)
          val start = lane(tag.offset, tag.size)
          val present =
            Presence.ifNumber(lanes.memory, start, lanes.step(tag.size), tag.size, number)
          add(member, Some(present), there)
    end match
  end add

  private def node(count: Long, own: Option[Presence]): Unit =
    val nulls = own.fold(0L)(present => rows - present.count(rows))
    nodes += ((count, nulls))
    if nulls == 0 then parts += Part(0, _ => ())
    else own.foreach(present => bits(rows, i => present(i.toInt)))

  /** Adds a bitmap. */
  private def bits(count: Long, bit: Long => Boolean): Unit =
    parts += Part(
      Math.ceilDiv(count, 8L),
      output =>
        var i = 0L
        while i < count do
          var eight = 0
          var k = 0
          while k < 8 && i + k < count do
            if bit(i + k) then eight |= 1 << k
            k += 1
          output.put(eight.toByte)
          i += 8
    )

  private def values(offset: Int, kind: Type.Primitive, bigEndian: Boolean): Unit =
    val (size, step) = (kind.size, lanes.step(kind.size))
    val start = lane(offset, size)
    if kind == Type.Primitive.BOOLEAN then
      bits(rows, i => lanes.memory.get(ValueLayout.JAVA_BYTE, start + i * step) != 0)
    else if bigEndian then
      parts += Part(
        rows.toLong * size,
        output =>
          for i <- 0 until rows; k <- size - 1 to 0 by -1 do
            output.put(lanes.memory.get(ValueLayout.JAVA_BYTE, start + i * step + k))
      )
    else raw(offset, size)

  /** Adds values as they lie. */
  private def raw(offset: Int, size: Int): Unit =
    val (start, step) = (lane(offset, size), lanes.step(size))
    parts += Part(
      rows.toLong * size,
      output => output.put(lanes.memory, start, step, size, rows)
    )

  private def elements(offset: Int, kind: Type.Primitive, count: Int): Unit =
    if kind == Type.Primitive.BOOLEAN then
      val (start, step) = (lane(offset, count), lanes.step(count))
      bits(
        rows.toLong * count,
        i => lanes.memory.get(ValueLayout.JAVA_BYTE, start + i / count * step + i % count) != 0
      )
    else raw(offset, kind.size * count)

  /** Adds the numbers of cases, each of which names one; 0 where there is nothing. */
  private def numbers(column: Column.Enumerated, there: List[Presence]): Unit =
    val size = column.size
    val cases = Presence.Numbers(lanes.memory, lane(column.offset, size), lanes.step(size), size)
    var isWhole = true
    var i = 0
    while i < rows do
      if !there.forall(_(i)) then isWhole = false
      else
        val number = cases(i)
        if number < 0 || number >= column.cases.size then
          throw output.fault(
            ArrowFault.WrongValue,
            s"row ${from + i} of `${column.name}` is case $number, and there are ${column.cases.size}"
          )
      i += 1
    if isWhole then raw(column.offset, size)
    else
      parts += Part(
        rows.toLong * size,
        output =>
          for i <- 0 until rows do
            val number = if there.forall(_(i)) then cases(i) else 0
            for k <- 0 until size do output.put((number >>> 8 * k).toByte)
      )
  end numbers

  private def texts(offset: Int, size: Int, there: List[Presence]): Unit =
    val lane = TextLane(lanes.memory, this.lane(offset, size), lanes.step(size), size)
    def length(i: Int): Int = if there.forall(_(i)) then lane.load(i) else 0
    val ends = new Array[Int](rows + 1)
    for i <- 0 until rows do ends(i + 1) = ends(i) + length(i)
    val offsets = MemorySegment.ofArray(ends).nn
    parts += Part(ends.length * 4L, output => output.put(offsets, 0, 4, 4, ends.length))
    parts += Part(
      ends(rows),
      output =>
        var i = 0
        while i < rows do
          // As long as it was measured, also if somebody stores another one meanwhile.
          val wanted = ends(i + 1) - ends(i)
          val found = if wanted == 0 then 0 else lane.load(i)
          output.put(lane.bytes, Math.min(found, wanted))
          for _ <- found until wanted do output.put(' '.toByte)
          i += 1
    )
end RowsPlan
