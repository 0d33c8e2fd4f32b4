package undercroft.arrow
package internal.columns

import internal.io.ArrowOutput
import internal.ipc.{BatchPlan, BufferPlan}
import internal.rows.{BatchRows, OutOfLineMemory, Slots, Validity}
import internal.schema.ArrowSchema
import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.file.format.Type
import undercroft.file.{ColumnKind, FieldSlices, OutOfLineContent, TextSlice, given}
import undercroft.struct.Struct

/** Plans the fields of `count` slots, of rows or of the items of arrays in them, as buffers of a
  * batch: computes the sizes of all buffers, including variable-size ones, without writing them.
  *
  * @param place
  *   names a slot in errors
  * @param isTemporary
  *   whether the memory of the slots is freed with the plan
  */
private[arrow] final class BatchEncoder(
    slots: Slots,
    count: Int,
    place: Int => String,
    planned: BatchPlan,
    output: ArrowOutput,
    limits: BatchLimits,
    isTemporary: Boolean = false
):
  import planned.{nodes, parts}

  private val memory = slots.memory

  /** Adds a field.
    *
    * @param presence
    *   presence of the field's own values, if it is nullable
    * @param around
    *   presence of the enclosing fields
    */
  def add(column: ColumnKind, presence: Option[Validity], around: List[Validity]): Unit =
    val there = presence.toList ++ around
    column match
      case ColumnKind.Value(_, offset, kind, _, bigEndian) =>
        node(count, presence)
        values(offset, kind, bigEndian)
      case number: ColumnKind.Enumerated =>
        node(count, presence)
        numbers(number, there)
      case ColumnKind.Text(_, offset, size) =>
        node(count, presence)
        texts(offset, size, there)
      case ColumnKind.Opaque(_, offset, size) =>
        node(count, presence)
        raw(offset, size)
      case ColumnKind.Elements(_, offset, kind, dimensions) =>
        node(count, presence)
        // A node for the list of each dimension, and one for the innermost elements.
        for total <- dimensions.scanLeft(count.toLong)(_ * _).tail do node(total, None)
        elements(offset, kind, dimensions.product)
      case ColumnKind.Items(_, offset, dimensions, itemBytes, item) =>
        node(count, presence)
        // The item has the node of the last dimension.
        for total <- dimensions.scanLeft(count.toLong)(_ * _).tail.init do node(total, None)
        val perSlot = dimensions.foldLeft(1)(Math.multiplyExact(_, _))
        BatchEncoder(
          slots.items(offset, perSlot, itemBytes),
          Math.multiplyExact(count, perSlot),
          i => s"${place(i / perSlot)}, element ${i % perSlot}",
          planned,
          output,
          limits,
          isTemporary
        ).add(item, None, there.map(validity => i => validity(i / perSlot)))
      case ColumnKind.Logical(name, kind, of) =>
        if LogicalValues.isChanged(kind) then
          node(count, presence)
          val values = LogicalValues(slots, kind, of)
          parts += BufferPlan(
            count.toLong * values.size,
            output =>
              for i <- 0 until count do
                if !values.load(i) && there.forall(_(i)) then
                  throw output.error(
                    ArrowErrorKind.WrongValue,
                    s"${place(i)} of `$name` is ${values.description}"
                  )
                output.put(values.bytes, values.size)
          )
        else add(of, presence, around)
      case ColumnKind.Record(_, fields) =>
        node(count, presence)
        fields.foreach(add(_, None, there))
      case ColumnKind.Optional(name, isDefined, value) =>
        val present = Validity.ifSet(memory, slots.places(isDefined, 1))
        value match
          case inner: ColumnKind.Optional =>
            node(count, Some(present))
            add(inner, None, present :: there)
          case plain => add(ColumnKind.named(plain, name), Some(present), there)
      case ColumnKind.OutOfLine(name, offset, content) =>
        node(count, presence)
        val places = slots.places(offset, OutOfLineMemory.FieldBytes)
        val values = OutOfLineValues(memory, places, count, there)
        content match
          case OutOfLineContent.Run(struct, item) => run(name, values, struct, item)
          case OutOfLineContent.Text              => bytes(name, values, isText = true)
          case OutOfLineContent.Bytes             => bytes(name, values, isText = false)
      case ColumnKind.OneOf(_, tag, members) =>
        node(count, presence)
        add(tag, None, there)
        for member <- ArrowSchema.shown(members) do
          val number = members.indexOf(member)
          val tags = slots.places(tag.offset, tag.size)
          val present = Validity.ifNumber(memory, tags, tag.size, number)
          add(member, Some(present), there)
    end match
  end add

  private def node(total: Long, presence: Option[Validity]): Unit =
    val nulls = presence.fold(0L)(present => count - present.count(count))
    nodes += ((total, nulls))
    if nulls == 0 then parts += BufferPlan(0, _ => ())
    else presence.foreach(present => bits(count, i => present(i.toInt)))

  /** Adds a bitmap. */
  private def bits(total: Long, bit: Long => Boolean): Unit =
    parts += BufferPlan(
      Math.ceilDiv(total, 8L),
      output =>
        var i = 0L
        while i < total do
          var eight = 0
          var k = 0
          while k < 8 && i + k < total do
            if bit(i + k) then eight |= 1 << k
            k += 1
          output.put(eight.toByte)
          i += 8
    )

  private def values(offset: Int, kind: Type.Primitive, bigEndian: Boolean): Unit =
    val size = kind.size
    val places = slots.places(offset, size)
    if kind == Type.Primitive.BOOLEAN then
      bits(count, i => memory.get(ValueLayout.JAVA_BYTE, places.at(i)) != 0)
    else if bigEndian then
      parts += BufferPlan(
        count.toLong * size,
        output =>
          for i <- 0 until count; k <- size - 1 to 0 by -1 do
            output.put(memory.get(ValueLayout.JAVA_BYTE, places.at(i) + k))
      )
    else raw(offset, size)

  /** Adds strings or bytes of any length. */
  private def bytes(name: String, values: OutOfLineValues, isText: Boolean): Unit =
    val total = values.totalBytes
    if total > limits.bytes then
      planned.splitOr:
        tooLarge(s"`$name` of ${place(0)} has $total bytes, but must have at most ${limits.bytes}")
    values.check()
    if isText then
      for i <- 0 until count do
        val fault = values.textFault(i)
        if fault.nonEmpty then
          throw output.error(ArrowErrorKind.WrongValue, s"${place(i)} of `$name` $fault")
    offsets(values.ends(values.length))
    parts += BufferPlan(total, output => for i <- 0 until count do values.put(i, output))

  /** Adds runs of structs, which are copied: a batch contains one array of them. */
  private def run(
      name: String,
      values: OutOfLineValues,
      struct: Struct[?],
      item: ColumnKind
  ): Unit =
    val total = values.structCount(struct)
    if total > limits.items(item) then
      planned.splitOr:
        if total > limits.mostItems(item) then
          tooLarge(
            s"`$name` of ${place(0)} has $total elements, but must have at most " +
              s"${limits.mostItems(item)}"
          )
    val ends = values.ends(values.checkedStructs(_, struct))
    offsets(ends)
    val copy = planned.temporary(total * struct.packedSize)
    values.copyStructs(ends, struct, copy)
    val inRun = (i: Int) =>
      // The last run that starts at or before the element; those without elements precede it.
      val index = java.util.Arrays.binarySearch(ends, i)
      var row = if index >= 0 then index else -index - 2
      while row < count - 1 && ends(row + 1) <= i do row += 1
      s"${place(row)}, element ${i - ends(row)}"
    val items = Slots.Packed(copy, struct.packedSize)
    BatchEncoder(items, total.toInt, inRun, planned, output, limits, isTemporary = true)
      .add(item, None, Nil)
  end run

  private def tooLarge(reason: String): Nothing =
    throw output.error(ArrowErrorKind.Unsupported, reason)

  private def offsets(ends: Array[Int]): Unit =
    val segment = MemorySegment.ofArray(ends).nn
    parts += BufferPlan(ends.length * 4L, output => output.put(segment, 0, 4, 4, ends.length))

  /** Adds fixed-size values unchanged. */
  private def raw(offset: Int, size: Int): Unit =
    val places = slots.places(offset, size)
    val isContiguous = places.step == size && places.runLength(0) >= count
    parts += BufferPlan(
      count.toLong * size,
      output =>
        var i = 0L
        while i < count do
          val run = Math.min(places.runLength(i), count - i)
          output.put(memory, places.at(i), places.step, size, run)
          i += run
      ,
      if isContiguous && !isTemporary then memory.address + places.at(0) else 0
    )

  private def elements(offset: Int, kind: Type.Primitive, perSlot: Int): Unit =
    if kind == Type.Primitive.BOOLEAN then
      val places = slots.places(offset, perSlot)
      bits(
        count.toLong * perSlot,
        i => memory.get(ValueLayout.JAVA_BYTE, places.at(i / perSlot) + i % perSlot) != 0
      )
    else raw(offset, kind.size * perSlot)

  /** Adds the numbers of enum cases; checks present values and writes 0 for absent ones. */
  private def numbers(column: ColumnKind.Enumerated, there: List[Validity]): Unit =
    val size = column.size
    val cases = Validity.Numbers(memory, slots.places(column.offset, size), size)
    var isWhole = true
    var i = 0
    while i < count do
      if !there.forall(_(i)) then isWhole = false
      else
        val number = cases(i)
        if number < 0 || number >= column.cases.size then
          throw output.error(
            ArrowErrorKind.WrongValue,
            s"${place(i)} of `${column.name}` is case $number, but the enum has " +
              s"${column.cases.size} cases"
          )
      i += 1
    if isWhole then raw(column.offset, size)
    else
      parts += BufferPlan(
        count.toLong * size,
        output =>
          for i <- 0 until count do
            val number = if there.forall(_(i)) then cases(i) else 0
            for k <- 0 until size do output.put((number >>> 8 * k).toByte)
      )
  end numbers

  private def texts(offset: Int, size: Int, there: List[Validity]): Unit =
    val places = slots.places(offset, size)
    // Its rows are the bytes of the memory.
    val strings = TextSlice(memory, 0, 1, size)
    def length(i: Int): Int = if there.forall(_(i)) then strings.load(places.at(i)) else 0
    val ends = new Array[Int](count + 1)
    for i <- 0 until count do
      val end = ends(i) + length(i).toLong
      if end > Int.MaxValue then
        tooLarge(
          s"${place(i)} ends at $end bytes of texts, but a batch has at most ${Int.MaxValue}"
        )
      ends(i + 1) = end.toInt
    offsets(ends)
    parts += BufferPlan(
      ends(count),
      output =>
        var i = 0
        while i < count do
          // Writes exactly the planned length, even if another thread changes the string meanwhile.
          val plannedBytes = ends(i + 1) - ends(i)
          val loadedBytes = if plannedBytes == 0 then 0 else strings.load(places.at(i))
          output.put(strings.bytes, Math.min(loadedBytes, plannedBytes))
          for _ <- loadedBytes until plannedBytes do output.put(' '.toByte)
          i += 1
    )
  end texts
end BatchEncoder

private[arrow] object BatchEncoder:

  /** Plans all rows as record batches, and passes each to `step`, in order. A batch has fewer rows
    * than `mostRows` if its values would exceed the limits. Throws if a mapped source file is
    * truncated meanwhile.
    */
  def eachBatch(
      lanes: FieldSlices,
      mostRows: Int,
      output: ArrowOutput,
      limits: BatchLimits = BatchLimits.default
  )(step: BatchPlan => Unit): Unit =
    val offsets = lanes.columns.flatMap(_.offsets).toArray
    val mostPerBatch = BatchRows.most(lanes.columns, mostRows)
    var most = mostPerBatch
    var from = 0L
    while from < lanes.rows do
      val rows = Math.min(most, lanes.rows - from).toInt
      lanes.compare(from, from + rows, offsets)
      val planned = BatchPlan(rows)
      try
        if plan(lanes, from, planned, output, limits) then
          step(planned)
          lanes.confirm()
          from += rows
          // After a smaller batch the next one may be larger again.
          most = Math.min(mostPerBatch, rows + rows / 4L + 1).toInt
        else most = rows / 2
      finally planned.close()
  end eachBatch

  /** Plans the rows from row `from` on as a record batch; returns false if they are too many. */
  private def plan(
      lanes: FieldSlices,
      from: Long,
      planned: BatchPlan,
      output: ArrowOutput,
      limits: BatchLimits
  ): Boolean =
    val slots = Slots.Rows(lanes, from)
    val encoder =
      BatchEncoder(slots, planned.rows, i => s"row ${from + i}", planned, output, limits)
    try
      lanes.columns.foreach(encoder.add(_, None, Nil))
      true
    catch case _: BatchPlan.TooLarge.type => false
end BatchEncoder
