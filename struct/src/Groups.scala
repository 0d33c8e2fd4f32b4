package undercroft.struct

import internal.bytes.{BulkCopy, ValueLayouts}
import internal.runtime.UnfinishedTable
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.collection.immutable.ArraySeq
import undercroft.memory.{Allocator, Malloc}

/** Rows grouped by key, the result of [[groupBy]]: the rows of a key are adjacent and in their
  * original order, and the keys are in the order of their first rows. Valid as long as the memory
  * of its allocator, or until [[close]]; may be used by the threads that may use that memory.
  *
  * A lookup costs a [[StructMap]] lookup and allocates the slice of the table that it returns.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows.tabulate[Trade](12)(i => Trade(i.toInt % 3, i))
  *   val prices = trades.groupBy(_.price)
  *   println(prices(2).sumOf(_.amount))
  *   prices.foreach((price, group) => println((price, group.size)))
  * }}}
  */
final class Groups[K, T, L <: Layout] @publicInBinary private[struct] (
    table: Table[T, L],
    starts: MemorySegment,
    @publicInBinary private[struct] val numbers: StructMap[K, Long],
    eachKey: ((K, Long) => Unit) => Unit,
    allocator: Allocator
) extends AutoCloseable:
  private var isFreed = false

  /** The number of keys.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * println(bills.groupBy(_.price).size) // 2
    * }}}
    */
  def size: Long = numbers.size

  inline def contains(inline key: K): Boolean = numbers.contains(key)

  /** The rows of a key; throws NoSuchElementException if there are none.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * println(bills.groupBy(_.price)(250).size) // 2
    * }}}
    */
  inline def apply(inline key: K): Table[T, L] = group(numbers(key))

  /** The rows of a key, or None.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * println(bills.groupBy(_.price).get(300).isEmpty) // true
    * }}}
    */
  inline def get(inline key: K): Option[Table[T, L]] =
    val number = numbers.getOrElse(key, -1L)
    if number < 0 then None else Some(group(number))

  /** Calls `f` with each key and its rows, in the order of the first rows. Allocates each key, and
    * an array of them.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * bills.groupBy(_.price).foreach((price, group) => println((price, group.size)))
    * }}}
    */
  def foreach(f: (K, Table[T, L]) => Any): Unit =
    var from = 0L
    while from < size do
      val keys = keysFrom(from)
      for k <- keys.indices do
        val _ = f(keys(k), group(from + k))
      from += keys.length

  /** The keys of the groups from a number on, as many as an array should have. */
  private def keysFrom(from: Long): IndexedSeq[K] =
    val keys = new Array[Any]((size - from).min(Groups.MostKeys).toInt)
    eachKey: (key, number) =>
      val k = number - from
      if k >= 0 && k < keys.length then keys(k.toInt) = key
    ArraySeq.unsafeWrapArray(keys).asInstanceOf[IndexedSeq[K]]

  @publicInBinary private[struct] def group(number: Long): Table[T, L] =
    try table.slice(Groups.at(starts, number), Groups.at(starts, number + 1))
    catch case error: RuntimeException => throw table.translate(error)

  /** Frees the keys, and in [[undercroft.memory.Malloc]] the rows; a region frees the rows with
    * itself. Then every use but `toString` throws StaleReferenceException. A second close has no
    * effect. While native code uses the rows in Malloc, it throws IllegalStateException, and
    * nothing changes.
    *
    * {{{
    * import undercroft.memory.*
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * val prices = bills.groupBy(_.price)(using Malloc)
    * println(prices(250).size) // 2
    * prices.close()
    * }}}
    */
  def close(): Unit = synchronized:
    if (allocator eq Malloc) && !isFreed then
      Malloc.free(table.address) // fails if native code uses the rows: all stays as it is
      isFreed = true
      Malloc.free(starts)
    numbers.close()

  override def toString: String =
    if numbers.table.isClosed then s"closed groups of a $table" else s"$size groups of a $table"
end Groups

object Groups:
  /** The most keys that a loop over groups holds at a time. */
  private inline val MostKeys = 0x1000000L

  private def at(words: MemorySegment, index: Long): Long = words.get(ValueLayouts.long, index * 8)

  /** Creates a table of the rows, ordered by the group number that `number` puts for each row. */
  @publicInBinary private[struct] def make[K, T, L <: Layout](
      table: Table[T, L],
      numbers: StructMap[K, Long],
      eachKey: ((K, Long) => Unit) => Unit,
      allocator: Allocator
  )(number: (Table[T, L], GroupNumbers) => Unit): Groups[K, T, L] =
    val rows = table.size
    try
      val groupNumbers = GroupNumbers(rows, allocator)
      try
        number(table.slice(0, rows), groupNumbers)
        val starts = groupNumbers.starts(numbers.size, allocator)
        UnfinishedTable.keeping(starts, allocator):
          val grouped = UnfinishedTable.filled(table.another(rows, allocator), allocator): target =>
            groupNumbers.scatter(table, target, starts)
            table.confirm()
          new Groups(grouped, starts, numbers, eachKey, allocator)
      finally groupNumbers.close()
    catch
      case error: Throwable =>
        numbers.close()
        throw table.translate(error)
  end make

  @publicInBinary private[struct] def put(numbers: GroupNumbers, number: Long): Unit =
    numbers.put(number)
end Groups

/** The group number of each row, 8 bytes per row, in a reservation that [[close]] frees. */
private[struct] final class GroupNumbers(rows: Long, allocator: Allocator) extends AutoCloseable:
  private val reservation = allocator.reserve(Math.multiplyExact(rows.max(1), 8L))
  private val words: MemorySegment = reservation.committed(reservation.maxBytes)
  private var filled = 0L

  /** Adds the group number of the next row. */
  def put(number: Long): Unit =
    words.set(ValueLayouts.long, filled * 8, number)
    filled += 1

  /** The start of each group, then the end of the last one. */
  def starts(groups: Long, allocator: Allocator): MemorySegment =
    val starts = allocator.allocate(Math.multiplyExact(groups + 1, 8L), 8)
    var row = 0L
    while row < rows do
      val at = (number(row) + 1) * 8
      starts.set(ValueLayouts.long, at, starts.get(ValueLayouts.long, at) + 1)
      row += 1
    var group = 1L
    while group <= groups do
      val sum =
        starts.get(ValueLayouts.long, group * 8 - 8) + starts.get(ValueLayouts.long, group * 8)
      starts.set(ValueLayouts.long, group * 8, sum)
      group += 1
    starts

  /** Copies each row to its group, runs of one group at once; advances `starts` and restores it. */
  def scatter(source: Table[?, ?], target: Table[?, ?], starts: MemorySegment): Unit =
    val copies = BulkCopy(source, target)
    var row = 0L
    while row < rows do
      val group = number(row)
      var end = row + 1
      while end < rows && number(end) == group do end += 1
      val to = starts.get(ValueLayouts.long, group * 8)
      copies.rows(row, end - row, to)
      starts.set(ValueLayouts.long, group * 8, to + end - row)
      row = end
    // Each start has advanced to the start of the next group.
    val groups = starts.byteSize / 8 - 1
    MemorySegment.copy(starts, 0, starts, 8, groups * 8)
    starts.set(ValueLayouts.long, 0, 0L)

  private def number(row: Long): Long = words.get(ValueLayouts.long, row * 8)

  def close(): Unit = reservation.close()
end GroupNumbers
