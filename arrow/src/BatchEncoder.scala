package undercroft.arrow

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.file.format.Type
import undercroft.file.{ColumnKind, FieldSlices, TextSlice, given}

/** Plans rows as a record batch: computes the sizes of all buffers, including variable-size ones,
  * without writing them.
  */
private[arrow] final class BatchEncoder(
    lanes: FieldSlices,
    from: Long,
    rows: Int,
    output: ArrowOutput
):
  val planned: BatchPlan = BatchPlan(rows)
  import planned.{nodes, parts}

  private def lane(offset: Int, size: Int): Long =
    lanes.start(offset, size) + from * lanes.step(size)

  /** Adds a field.
    *
    * @param presence
    *   presence of the field's own values, if it is nullable
    * @param around
    *   presence of the enclosing fields
    */
  def add(
      column: ColumnKind,
      presence: Option[Validity] = None,
      around: List[Validity] = Nil
  ): Unit =
    val there = presence.toList ++ around
    column match
      case ColumnKind.Value(_, offset, kind, _, bigEndian) =>
        node(rows, presence)
        values(offset, kind, bigEndian)
      case number: ColumnKind.Enumerated =>
        node(rows, presence)
        numbers(number, there)
      case ColumnKind.Text(_, offset, size) =>
        node(rows, presence)
        texts(offset, size, there)
      case ColumnKind.Opaque(_, offset, size) =>
        node(rows, presence)
        raw(offset, size)
      case ColumnKind.Elements(_, offset, kind, dimensions) =>
        node(rows, presence)
        // A node for the list of each dimension, and one for the innermost elements.
        for count <- dimensions.scanLeft(rows.toLong)(_ * _).tail do node(count, None)
        elements(offset, kind, dimensions.product)
      case ColumnKind.Logical(name, kind, of) =>
        if LogicalValues.isChanged(kind) then
          node(rows, presence)
          val values = LogicalValues(lanes, from, kind, of)
          parts += BufferPlan(
            rows.toLong * values.size,
            output =>
              for i <- 0 until rows do
                if !values.load(i) && there.forall(_(i)) then
                  throw output.error(
                    ArrowErrorKind.WrongValue,
                    s"row ${from + i} of `$name` is ${values.description}"
                  )
                output.put(values.bytes, values.size)
          )
        else add(of, presence, around)
      case ColumnKind.Record(_, fields) =>
        node(rows, presence)
        fields.foreach(add(_, None, there))
      case ColumnKind.Optional(_, isDefined, value) =>
        val present = Validity.ifSet(lanes.memory, lane(isDefined, 1), lanes.step(1))
        value match
          case inner: ColumnKind.Optional =>
            node(rows, Some(present))
            add(inner, None, present :: there)
          case plain => add(plain, Some(present), there)
      case ColumnKind.OneOf(_, tag, members) =>
        node(rows, presence)
        add(tag, None, there)
        for member <- ArrowSchema.shown(members) do
          val number = members.indexOf(member)
          val start = lane(tag.offset, tag.size)
          val present =
            Validity.ifNumber(lanes.memory, start, lanes.step(tag.size), tag.size, number)
          add(member, Some(present), there)
    end match
  end add

  private def node(count: Long, presence: Option[Validity]): Unit =
    val nulls = presence.fold(0L)(present => rows - present.count(rows))
    nodes += ((count, nulls))
    if nulls == 0 then parts += BufferPlan(0, _ => ())
    else presence.foreach(present => bits(rows, i => present(i.toInt)))

  /** Adds a bitmap. */
  private def bits(count: Long, bit: Long => Boolean): Unit =
    parts += BufferPlan(
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
      parts += BufferPlan(
        rows.toLong * size,
        output =>
          for i <- 0 until rows; k <- size - 1 to 0 by -1 do
            output.put(lanes.memory.get(ValueLayout.JAVA_BYTE, start + i * step + k))
      )
    else raw(offset, size)

  /** Adds fixed-size values unchanged. */
  private def raw(offset: Int, size: Int): Unit =
    val (start, step) = (lane(offset, size), lanes.step(size))
    parts += BufferPlan(
      rows.toLong * size,
      output => output.put(lanes.memory, start, step, size, rows),
      if step == size then lanes.memory.address + start else 0
    )

  private def elements(offset: Int, kind: Type.Primitive, count: Int): Unit =
    if kind == Type.Primitive.BOOLEAN then
      val (start, step) = (lane(offset, count), lanes.step(count))
      bits(
        rows.toLong * count,
        i => lanes.memory.get(ValueLayout.JAVA_BYTE, start + i / count * step + i % count) != 0
      )
    else raw(offset, kind.size * count)

  /** Adds the numbers of enum cases; checks present values and writes 0 for absent ones. */
  private def numbers(column: ColumnKind.Enumerated, there: List[Validity]): Unit =
    val size = column.size
    val cases = Validity.Numbers(lanes.memory, lane(column.offset, size), lanes.step(size), size)
    var isWhole = true
    var i = 0
    while i < rows do
      if !there.forall(_(i)) then isWhole = false
      else
        val number = cases(i)
        if number < 0 || number >= column.cases.size then
          throw output.error(
            ArrowErrorKind.WrongValue,
            s"row ${from + i} of `${column.name}` is case $number, but the enum has " +
              s"${column.cases.size} cases"
          )
      i += 1
    if isWhole then raw(column.offset, size)
    else
      parts += BufferPlan(
        rows.toLong * size,
        output =>
          for i <- 0 until rows do
            val number = if there.forall(_(i)) then cases(i) else 0
            for k <- 0 until size do output.put((number >>> 8 * k).toByte)
      )
  end numbers

  private def texts(offset: Int, size: Int, there: List[Validity]): Unit =
    val lane = TextSlice(lanes.memory, this.lane(offset, size), lanes.step(size), size)
    def length(i: Int): Int = if there.forall(_(i)) then lane.load(i) else 0
    val ends = new Array[Int](rows + 1)
    for i <- 0 until rows do ends(i + 1) = ends(i) + length(i)
    val offsets = MemorySegment.ofArray(ends).nn
    parts += BufferPlan(ends.length * 4L, output => output.put(offsets, 0, 4, 4, ends.length))
    parts += BufferPlan(
      ends(rows),
      output =>
        var i = 0
        while i < rows do
          // Writes exactly the planned length, even if another thread changes the string meanwhile.
          val plannedBytes = ends(i + 1) - ends(i)
          val loadedBytes = if plannedBytes == 0 then 0 else lane.load(i)
          output.put(lane.bytes, Math.min(loadedBytes, plannedBytes))
          for _ <- loadedBytes until plannedBytes do output.put(' '.toByte)
          i += 1
    )
end BatchEncoder
