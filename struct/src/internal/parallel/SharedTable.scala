package undercroft.struct
package internal.parallel

import undercroft.memory.internal.cage.Cage

/** A table shared with the threads of one operation.
  *
  * Memory that is confined to the caller's thread is accessible to the other threads until the
  * operation has ended. That is safe because the caller waits and no other thread can free it; and
  * because functions receive rows as values, never the shared table itself.
  */
private[undercroft] final class SharedTable[T, L <: Layout](table: Table[T, L], grain: Long = 0):
  private val owner = Thread.currentThread

  /** The number of rows at the start of the operation. */
  val rows: Long = table.size

  /** Whether the caller must not run a part of the operation while others do. */
  val confined: Boolean = !table.memory.isAccessibleBy(SharedTable.stranger)

  /** The table for all threads, valid while its owner waits. */
  val open: Table[T, L] =
    table.admit()
    if !confined then table
    else if table.source != null then
      throw IllegalStateException(
        s"the rows are in ${table.source.name}, confined to one thread: a parallel operation needs " +
          "a segment of Arena.ofShared"
      )
    else
      val place = Cage.placeOf(table.address.bits)
      val memory = Cage.open.asSlice(place, table.memory.byteSize)
      new Table(memory, table.address, table.kind, table.first, table.capacity, rows)(using
        table.struct
      )

  /** The table for the current thread. */
  def here: Table[T, L] = if owner eq Thread.currentThread then table else open

  /** The rows of a part: it depends on the grain and the number of rows alone. */
  private val perPart: Long =
    val least = SharedTable.grain(grain, Math.ceilDiv(rows, SharedTable.Few).min(SharedTable.Least))
    val most = if grain == 0 then SharedTable.Most else SharedTable.MostOfGrain
    least.max(Math.ceilDiv(rows, most)).max(1)

  /** The number of parts that the rows are split into. */
  def parts: Int = Math.ceilDiv(rows, perPart).toInt

  /** Whether the parts may be less work than it is to start threads for them. */
  def isSmall: Boolean = grain == 0 && rows < SharedTable.Small

  /** The first row of a part. */
  def start(part: Int): Long = (part * perPart).min(rows)

  /** The rows of a part. */
  def part(number: Int): Table[T, L] = here.slice(start(number), start(number + 1))

  /** The first bit of a part in a bitmap in which no two parts share a word. */
  def bit(part: Int): Long = part * (perPart + 63 & -64L)
end SharedTable

private[undercroft] object SharedTable:
  /** The rows of a part of a large table: some tens of microseconds of work, or more. */
  private inline val Least = 1L << 14

  /** The parts of a small table. */
  private inline val Few = 64L

  /** The rows from which on all threads are started at once: some hundreds of microseconds of work,
    * or more.
    */
  private inline val Small = 1L << 16

  /** The most parts of a table: enough for all threads of any machine to end at about the same
    * time.
    */
  private inline val Most = 1024L

  /** The most parts of a table whose grain is given: 16 MiB of results. */
  private inline val MostOfGrain = 1L << 20

  /** The given number of rows, or `default` if it is 0. */
  def grain(rows: Long, default: Long): Long =
    if rows < 0 then throw IllegalArgumentException(s"grain must be >= 0: $rows rows")
    if rows == 0 then default else rows

  /** A thread that no memory is confined to. */
  private val stranger = Thread()
end SharedTable
