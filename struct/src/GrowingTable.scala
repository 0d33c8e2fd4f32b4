package undercroft.struct

import internal.bytes.{GrowingPlan, GrowingSpace}
import internal.macros.access.RowAccess
import internal.macros.loops.InPlaceLoops
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.{Arena, MemorySegment}
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, MemoryLimitException, RegionThreadException, Reservation}

/** A growable table: it takes memory as rows are appended.
  *
  * A small number of rows is stored in a block of the region, and copied to larger memory as it
  * grows. The first reference, slice, segment or loop over the rows moves them to a reservation, in
  * which they grow without copying: from then on their addresses are fixed, so references and
  * slices stay valid while the table grows. A slice keeps the size it was created with. In a shared
  * region, and in `Malloc`, rows have a reservation from the start. The table is freed with its
  * region, or earlier by [[close]].
  *
  * Only one thread at a time may append. Concurrent appends lose rows, but never touch memory
  * outside the table. In a scoped region that thread is the region's owner thread, and an append
  * does not check the memory. In a shared region an append first checks that the memory still
  * belongs to the table; an append that races with a close on another thread is detected late, as a
  * store through a reference is.
  *
  * [[clear]] and [[removeLast]] remove rows, and keep their memory for later rows: it stays a part
  * of the table, and counts against budgets, until the table is freed. So references and slices of
  * a removed row stay valid: they access the removed row until an append stores another row there,
  * and then that row; and loops that have begun read the rows that they began with. An access by
  * index, and by an iterator, throws IndexOutOfBoundsException. Removals are for the thread that
  * may append.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows.growing[Trade]
  *   trades += Trade(250, 10)
  *   trades.appendAll(999)(i => Trade(i.toInt, 20)) // all of them, or none
  *   println(trades.size)
  * }}}
  *
  * @param maxRows
  *   the most rows that the table can hold
  */
final class GrowingTable[T, L <: Layout] private[struct] (
    plan: GrowingPlan,
    space: GrowingSpace,
    kind: Table.Kind
)(using Struct[T])
    extends Table[T, L](space.memory, space.address, kind, 0, space.capacity, 0),
      AutoCloseable:

  val maxRows: Long = plan.maxRows

  private var reservation: Reservation | Null = null

  /** The place of the first row in [[Cage.open]]. A close sets it to 0 only if [[thread]] is set:
    * in other tables an append may have checked the memory on another thread, and stores there.
    */
  @publicInBinary private[struct] var start: Long = 0

  /** The thread that appends without a check; null in a shared region or a block. */
  private[struct] var thread: Thread | Null = null

  /** The number of rows that have memory; 0 after the close, and while a batch is open. */
  private var ready = 0L

  /** The end of the rows that `appendAll` or a batch has written and not counted yet. */
  private var filled = 0L

  /** The most rows of the open batch; -1 if none is open. */
  private var batchRows = -1L

  /** The rows before the `appendAll` that runs and counts its rows at its end; -1 if none runs. */
  private var bulkStart = -1L
  private var isClosed = false

  isMovable = plan.region != null
  use(space)

  /** Appends a row. More than `maxRows` rows throw IndexOutOfBoundsException, and memory beyond a
    * budget throws MemoryLimitException; the table is then unchanged.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills += Bill(1, 250)
    * println(bills(0)) // Bill(1,250)
    * }}}
    */
  inline def +=(inline value: T): Unit = append(value)

  /** Same as `+=`. */
  inline def append(inline value: T): Unit = ${ RowAccess.append('this, 'value) }

  /** Appends all values.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * println(bills.size) // 2
    * }}}
    */
  def appendAll(values: IterableOnce[T]): Unit =
    checkNoBulkAppend()
    values.iterator.foreach(appendValue)

  /** Appends the rows of a table of the same layout, copied as bytes: all of them, or none if there
    * is no memory. A table may append its own rows.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appendAll(Rows.tabulate[Bill](2)(i => Bill(i.toInt, 250)))
    * println(bills.size) // 2
    * }}}
    */
  def appendAll(rows: Table[T, L]): Unit = append(ConcatenatedTables(kind, Seq(rows)))

  /** Appends the rows of several tables of the same layout, copied as bytes: all of them, or none
    * if there is no memory.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * val day = Rows.tabulate[Bill](2)(i => Bill(i.toInt, 250))
    * bills.appendAll(day.concat(day))
    * println(bills.size) // 4
    * }}}
    */
  def appendAll(tables: ConcatenatedView[T, L]): Unit = append(tables.all)

  /** Appends the values of a view: all of them, or none if it fails. The view sees the table as it
    * was before, so a table may append its own rows. It is one loop, which allocates nothing if it
    * is fused. A function of the view must not append to this table: `appendAll` and `appending`
    * within it throw IllegalStateException, and after a `+=` within it this call throws it and
    * removes those rows, too.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appendAll(trades.filter(_.buy).map(trade => Bill(trade.ticket, trade.price)))
    * bills.appendAll(bills.filter(_.price < 200))
    * println(bills.size) // 680
    * }}}
    */
  inline def appendAll(inline values: View[T]): Unit =
    val isNested = isAppending
    try
      val end = values.foldLeft(beginAppend()): (row, value) =>
        storeUncounted(row)(value)
        row + 1
      appendedTo(end)
    finally if !isNested then endAppend()

  private[struct] inline def storeUncounted(inline row: Long)(inline value: T): Unit =
    ${ RowAccess.storeUncounted('this, 'row, 'value) }

  /** Appends `count` rows that hold `f(0)`, `f(1)` and so on: all of them, or none if `f` throws.
    * This is the fastest way to append, because a row does not wait until the previous row's number
    * has been stored. `f` must not append to this table: `appendAll` and `appending` within it
    * throw IllegalStateException, and after a `+=` within it this call throws it and removes those
    * rows, too.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appendAll(1000)(i => Bill(i.toInt, 250))
    * println(bills.sumOf(_.price)) // 250000
    * }}}
    */
  inline def appendAll(count: Long)(inline f: Long => T): Unit =
    ${ InPlaceLoops.append('this, 'count, 'f) }

  /** Runs `body` with a batch that appends up to `maxRows` rows and counts them when it ends; a row
    * costs less than by `+=`. See [[AppendBatch]].
    *
    * Memory for all of `maxRows` is provided first, or the call fails with the error of `+=` and
    * leaves the table unchanged. Until the batch ends, `size` returns the rows before it, and other
    * appends throw IllegalStateException. If `body` fails, the rows that it appended before stay.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appending(maxRows = 1000): batch =>
    *   for price <- 1 to 10 if price % 3 == 0 do batch += Bill(price, 250)
    * println(bills.size) // 3
    * }}}
    */
  inline def appending(maxRows: Long)(inline body: AppendBatch[T, L] => Unit): Unit =
    val batch = new AppendBatch[T, L](this, maxRows)
    try body(batch)
    finally
      batch.until = AppendBatch.Ended
      endBatch(batch.at - batch.first)

  /** Removes all rows, and keeps their memory for the next ones: O(1). Within an `appendAll` or a
    * batch of this table it throws IllegalStateException; references and slices of the rows stay
    * valid, as the text above says.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills += Bill(1, 250)
    * bills.clear()
    * bills += Bill(2, 251)
    * println(bills.toVector) // Vector(Bill(2,251))
    * }}}
    */
  def clear(): Unit =
    beginRemoval()
    used = 0

  /** Removes the last row, and returns it: O(1), under the conditions of [[clear]]. Does not
    * allocate if the row is used in place. An empty table throws NoSuchElementException.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * println(bills.removeLast()) // Bill(2,251)
    * println(bills.size) // 1
    * }}}
    */
  inline def removeLast(): T =
    val index = lastIndex()
    val row = apply(index)
    removeFrom(index)
    row

  @publicInBinary private[struct] def lastIndex(): Long =
    beginRemoval()
    if used == 0 then Table.empty("removeLast")
    used - 1

  /** Removes the last row, which has this index unless its constructor has appended rows. */
  @publicInBinary private[struct] def removeFrom(index: Long): Unit =
    if used != index + 1 then
      throw IllegalStateException(
        s"the constructor of row $index changed the table from ${index + 1} to $used rows"
      )
    used = index

  private def beginRemoval(): Unit =
    checkNoBulkAppend()
    admitGrowth()

  /** Frees the rows before their region does. Rows of up to 16 KiB in a scoped region can no longer
    * be used, but the region frees them, and the smaller blocks that the table had before, at its
    * own end: together less than 32 KiB.
    *
    * {{{
    * import undercroft.memory.*
    * val bills = Rows.growing[Bill]
    * bills += Bill(1, 250)
    * bills.close()
    * try println(bills(0))
    * catch case _: StaleReferenceException => println("closed") // closed
    * }}}
    */
  def close(): Unit =
    val currentReservation = reservation
    if currentReservation != null then currentReservation.close()
    else if !isClosed then
      admitAppend()
      isClosed = true
      ready = 0
      currentMemory = GrowingTable.closed

  /** The index of the next row, after providing memory for it. */
  @publicInBinary private[struct] def next(): Long =
    val row = used
    if row >= ready then grow(row)
    if thread ne Thread.currentThread then admitAppend()
    row

  /** The index of a row after the counted rows, after providing memory for it. */
  @publicInBinary private[struct] def uncounted(row: Long): Long =
    if row >= ready then grow(row)
    if thread ne Thread.currentThread then admitAppend()
    // The row is stored before other code of the user runs, which may move the table.
    filled = row + 1
    row

  /** Implements `storeUncounted` if the type or the layout is not known at compile time. */
  @publicInBinary private[struct] def addUncounted(row: Long, value: T): Unit =
    zeroPartial(uncounted(row))
    val memory = currentMemory
    storeAt(row, value)
    if memory ne currentMemory then addUncounted(row, value)

  /** Appends the rows of tables of the same layout as bytes. */
  private def append(tables: ConcatenatedTables[T, L]): Unit =
    val (before, count) = (used, tables.size)
    if count > 0 then
      provide(count)
      val rows = new Table[T, L](
        currentMemory,
        currentAddress,
        kind,
        0,
        currentCapacity,
        before + count
      )
      var part = 0
      while part < tables.count do
        val start = before + tables.start(part)
        rows.slice(start, start + tables.table(part).size).copyFrom(tables.table(part))
        part += 1
      appended(before, count)

  @publicInBinary private[struct] def checkCount(count: Long): Unit =
    if count < 0 then
      throw IllegalArgumentException(s"count must be at least 0, but is $count rows")

  /** Begins an `appendAll` that counts its rows at its end.
    *
    * @return
    *   the number of rows before it
    */
  @publicInBinary private[struct] def beginAppend(): Long =
    admitGrowth()
    checkNoBulkAppend()
    bulkStart = used
    used

  @publicInBinary private[struct] def isAppending: Boolean = bulkStart >= 0

  /** Ends the append of [[beginAppend]], if one runs: it has failed, and removes the rows that its
    * function appended meanwhile.
    */
  @publicInBinary private[struct] def endAppend(): Unit =
    if isAppending then
      used = used.min(bulkStart)
      endBulkAppend()

  private def endBulkAppend(): Unit =
    bulkStart = -1
    filled = 0

  /** Provides memory for `count` more rows. */
  private def provide(count: Long): Unit =
    if count > maxRows - used then
      throw IndexOutOfBoundsException(
        s"$count rows after the first $used do not fit in a table of at most $maxRows rows"
      )
    checkNoBulkAppend()
    admitGrowth()
    val end = used + count
    while ready < end do grow(end - 1)

  /** How many of the next `count` rows starting at `row` have memory: at least 1, at most
    * `maxCount`.
    */
  @publicInBinary private[struct] def ready(row: Long, count: Long, maxCount: Int): Int =
    if count > maxRows - row then
      throw IndexOutOfBoundsException(
        s"$count rows after the first $row do not fit in a table of at most $maxRows rows"
      )
    filled = row
    if row >= ready then grow(row)
    admitAppend()
    Math.min(ready - row, Math.min(count, maxCount.toLong)).toInt

  /** Copies rows that `appendAll` wrote to the previous memory, if its function has moved the table
    * meanwhile.
    */
  @publicInBinary private[struct] def written(
      memory: MemorySegment,
      capacity: Long,
      row: Long,
      count: Long
  ): Unit =
    if memory ne currentMemory then
      if row + count > ready then grow(row + count - 1)
      plan.copy(struct, memory, capacity, currentMemory, currentCapacity, row, count)

  /** Counts rows that were written after the first `before` rows. Throws IllegalStateException if
    * other rows were appended meanwhile.
    */
  @publicInBinary private[struct] def appended(before: Long, count: Long): Unit =
    endBulkAppend()
    if used != before then
      val otherRows = used - before
      used = before
      if otherRows < 0 then
        throw java.util.ConcurrentModificationException(
          s"two threads append to one table: it has ${before + otherRows} rows, but had $before " +
            s"when appendAll began to add $count rows"
        )
      throw IllegalStateException(
        s"$otherRows rows were appended while appendAll added $count rows"
      )
    used = before + Math.max(count, 0)

  /** As `appended`, for the rows from those before [[beginAppend]] to `end`. */
  @publicInBinary private[struct] def appendedTo(end: Long): Unit =
    appended(bulkStart, end - bulkStart)

  /** What a batch adds to its position for a row: the bytes of a row, or 1 in columns. */
  private[struct] def batchStep: Long = if kind == Table.Kind.Columnar then 1 else stride

  /** Opens a batch, after providing memory for `count` rows.
    *
    * @return
    *   the position of the next row: its place, or its index in columns
    */
  private[struct] def beginBatch(count: Long): Long =
    if count < 0 then throw IllegalArgumentException(s"maxRows must be >= 0: $count")
    provide(count)
    filled = used + count
    batchRows = count
    ready = 0
    if kind == Table.Kind.Columnar then used else start + used * stride

  /** Ends the open batch, whose position has advanced by `distance`. */
  @publicInBinary private[struct] def endBatch(distance: Long): Unit =
    batchRows = -1
    filled = 0
    val currentReservation = reservation
    // racy, but benign: if another thread closes the table meanwhile, the next append detects it.
    val isFreed = if currentReservation == null then isClosed else !currentReservation.isOpen
    if !isFreed then
      ready =
        if currentReservation == null then currentCapacity.min(maxRows)
        else readyRows(currentReservation)
      used += distance / batchStep

  private def checkNoBatch(): Unit =
    if batchRows >= 0 then
      throw IllegalStateException(
        s"the table has an open batch of at most $batchRows rows: append to the batch, or after its end"
      )

  private def checkNoBulkAppend(): Unit =
    checkNoBatch()
    if isAppending then
      throw IllegalStateException("an appendAll to the table has not ended: append after its end")

  /** Implements `append` if the type or the layout is not known at compile time. The row is stored
    * again if a conversion of the user has moved the table meanwhile.
    */
  @publicInBinary private[struct] def appendValue(value: T): Unit =
    val row = next()
    zeroPartial(row)
    val memory = currentMemory
    storeAt(row, value)
    if memory eq currentMemory then used = row + 1 else appendValue(value)

  private def grow(row: Long): Unit =
    checkNoBatch()
    admitGrowth()
    if row == maxRows then
      throw IndexOutOfBoundsException(s"row $row does not fit in a table of at most $maxRows rows")
    val currentReservation = reservation
    if currentReservation == null then move(plan.larger(Math.max(currentCapacity * 2, row + 1)))
    else if row < currentCapacity then
      val bytes = GrowingPlan.committed(kind, (row + 1) * stride, currentReservation.maxBytes)
      currentReservation.ensureUninit(bytes)
      ready = readyRows(currentReservation)
    else if isMovable then move(plan.reserved(row + 1))
    else
      throw MemoryLimitException(
        "the reservation of a growing table that is referred to (growingTo reserves more)",
        (row + 1) * stride,
        currentReservation.maxBytes
      )

  private def readyRows(currentReservation: Reservation): Long =
    val isWhole = currentReservation.committedBytes == currentReservation.maxBytes
    if kind != Table.Kind.Columnar then (currentReservation.committedBytes / stride).min(maxRows)
    else if isWhole then maxRows
    else 0

  /** As [[admitAppend]], for a reservation whose first page may not be committed yet. */
  private[struct] def admitGrowth(): Unit =
    val currentReservation = reservation
    if currentReservation != null && currentReservation.thread == null then
      if !currentReservation.isOpen then Cage.check(currentAddress.bits, 0, 1)
    else admitAppend()

  /** Throws if the thread may not use the table, or if the table is closed. */
  private[struct] def admitAppend(): Unit =
    val (currentReservation, region) = (reservation, plan.region)
    if currentReservation != null then
      currentReservation.admit()
      if !currentReservation.isOpen then Cage.check(currentAddress.bits, 0, 1)
    else if region != null then
      val owner = region.owner
      if owner != null && (owner ne Thread.currentThread) then
        throw RegionThreadException(region.name, owner.toString, Thread.currentThread.toString)
      Cage.check(currentAddress.bits, 0, 1)
      if isClosed then throw Cage.closing(currentAddress.bits)

  private def use(space: GrowingSpace): Unit =
    val newReservation = space.reservation
    if newReservation != null then
      newReservation.onClose: () =>
        if reservation eq newReservation then
          ready = 0
          if thread != null then start = 0
    currentMemory = space.memory
    currentAddress = space.address
    currentCapacity = space.capacity
    reservation = newReservation
    start = Cage.placeOf(space.address.bits)
    if newReservation == null then ready = space.capacity.min(maxRows)
    else
      thread = newReservation.thread
      ready = readyRows(newReservation)
    if batchRows >= 0 then ready = 0

  /** Moves the rows to other memory: an error in the copy leaves them in the present memory. */
  private def move(space: GrowingSpace): Unit =
    val oldReservation = reservation
    val rows = used.max(filled)
    try
      plan.copy(struct, currentMemory, currentCapacity, space.memory, space.capacity, 0, rows)
      use(space)
    catch
      case error: Throwable =>
        val unused = space.reservation
        if unused != null && (unused ne reservation) then unused.close()
        throw error
    if oldReservation != null then oldReservation.close()

  /** Moves the rows to memory with fixed addresses. Owner thread only: another thread gets memory
    * that it cannot access. Throws if the table was closed while it was a block.
    */
  private[struct] override def keepPlace(): Unit =
    if isClosed then
      Cage.check(currentAddress.bits, 0, 1)
      throw Cage.closing(currentAddress.bits)
    val region = plan.region
    if region != null && (region.owner eq Thread.currentThread) && region.isOpen then
      if reservation == null then move(plan.reserved(used.max(filled).max(1)))
      isMovable = false

  /** Zeroes a row that a store does not fill, in memory that was used before. */
  private[struct] def zeroPartial(row: Long): Unit =
    if struct.isPartial(kind) then
      if kind == Table.Kind.Columnar then
        struct.columns.foreach: leaf =>
          val size = leaf.kind.size.toLong
          clearBytes(currentCapacity * leaf.column + row * size, size)
      else clearBytes(row * stride, stride)

  private def clearBytes(at: Long, bytes: Long): Unit =
    val _ = currentMemory.asSlice(at, bytes).fill(0)
end GrowingTable

private[struct] object GrowingTable:

  private[struct] def open[T, L <: Layout](kind: Table.Kind, maxRows: Long, isBounded: Boolean)(
      using
      struct: Struct[T],
      allocator: Allocator
  ): GrowingTable[T, L] =
    val plan = GrowingPlan(kind, kind.bytesPerRow(struct), maxRows, isBounded, allocator)
    new GrowingTable(plan, plan.first(), kind)

  /** The memory of a table that was closed while it was a block: every access throws. */
  private val closed: MemorySegment =
    val arena = Arena.ofShared()
    val segment = arena.allocate(1)
    arena.close()
    segment
end GrowingTable
