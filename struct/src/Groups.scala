package undercroft.struct

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.internal.Unaligned

/** Rows by key, as [[groupBy]] makes them: a table in which the rows of one key lie together, in
  * the order they had, and the keys in the order of their first rows. It dies with the memory of
  * the allocator it was made by, and is for the threads that may use that.
  *
  * A lookup is one of a [[StructMap]], and each answer a slice of the table: an object.
  */
final class Groups[K, T, L <: Layout] @publicInBinary private[struct] (
    table: Table[T, L],
    starts: MemorySegment,
    @publicInBinary private[struct] val numbers: StructMap[K, Long],
    keyOf: T => K
):
  /** How many keys there are. */
  def size: Long = numbers.size

  inline def contains(inline key: K): Boolean = numbers.contains(key)

  /** The rows of a key; NoSuchElementException where there are none. */
  inline def apply(inline key: K): Table[T, L] = group(numbers(key))

  /** The rows of a key, if there are some. */
  inline def get(inline key: K): Option[Table[T, L]] =
    val number = numbers.getOrElse(key, -1L)
    if number < 0 then None else Some(group(number))

  /** Hands each key and its rows to `f`, in the order of the first rows. */
  def foreach(f: (K, Table[T, L]) => Any): Unit =
    var number = 0L
    while number < size do
      val rows = group(number)
      val _ = f(keyOf(rows.load(0)), rows)
      number += 1

  @publicInBinary private[struct] def group(number: Long): Table[T, L] =
    try table.slice(Groups.at(starts, number), Groups.at(starts, number + 1))
    catch case error: RuntimeException => throw table.explained(error)

  override def toString: String = s"$size groups of a $table"
end Groups

object Groups:
  private def at(words: MemorySegment, index: Long): Long = words.get(Unaligned.long, index * 8)

  /** Makes a table of rows by the group that `number` puts for each. */
  @publicInBinary private[struct] def make[K, T, L <: Layout](
      table: Table[T, L],
      numbers: StructMap[K, Long],
      keyOf: T => K,
      allocator: Allocator
  )(number: (Table[T, L], GroupNumbers) => Unit): Groups[K, T, L] =
    val rows = table.size
    val found = GroupNumbers(rows, allocator)
    try
      number(table.slice(0, rows), found)
      val made = table.another(rows, allocator)
      val starts = found.starts(numbers.size, allocator)
      found.scatter(table, made, starts)
      table.confirm()
      new Groups(made, starts, numbers, keyOf)
    catch
      case error: Throwable =>
        numbers.close()
        throw table.explained(error)
    finally found.close()
  end make

  @publicInBinary private[struct] def put(numbers: GroupNumbers, number: Long): Unit =
    numbers.put(number)
end Groups

/** The number of each row's group, 8 bytes a row, in a reservation that is freed at the end. */
private[struct] final class GroupNumbers(rows: Long, allocator: Allocator) extends AutoCloseable:
  private val reservation = allocator.reserve(Math.multiplyExact(rows.max(1), 8L))
  private val words: MemorySegment =
    reservation.ensureUninit(reservation.upToBytes)
    reservation.whole
  private var filled = 0L

  /** The number of the next row's group. */
  def put(number: Long): Unit =
    words.set(Unaligned.long, filled * 8, number)
    filled += 1

  /** Where each of the groups starts, and where the last one ends. */
  def starts(groups: Long, allocator: Allocator): MemorySegment =
    val starts = allocator.allocate(Math.multiplyExact(groups + 1, 8L), 8)
    var row = 0L
    while row < rows do
      val at = (number(row) + 1) * 8
      starts.set(Unaligned.long, at, starts.get(Unaligned.long, at) + 1)
      row += 1
    var group = 1L
    while group <= groups do
      val sum = starts.get(Unaligned.long, group * 8 - 8) + starts.get(Unaligned.long, group * 8)
      starts.set(Unaligned.long, group * 8, sum)
      group += 1
    starts

  /** Copies each row to its group, runs of one group at once; `starts` is moved on and put back. */
  def scatter(source: Table[?, ?], target: Table[?, ?], starts: MemorySegment): Unit =
    val copies = BulkCopy(source, target)
    var row = 0L
    while row < rows do
      val group = number(row)
      var end = row + 1
      while end < rows && number(end) == group do end += 1
      val to = starts.get(Unaligned.long, group * 8)
      copies.rows(row, end - row, to)
      starts.set(Unaligned.long, group * 8, to + end - row)
      row = end
    // Each start is where the next group starts by now.
    val groups = starts.byteSize / 8 - 1
    MemorySegment.copy(starts, 0, starts, 8, groups * 8)
    starts.set(Unaligned.long, 0, 0L)

  private def number(row: Long): Long = words.get(Unaligned.long, row * 8)

  def close(): Unit = reservation.close()
end GroupNumbers
