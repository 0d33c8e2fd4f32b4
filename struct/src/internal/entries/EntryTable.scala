package undercroft.struct
package internal.entries

import java.lang.invoke.{MethodHandles, VarHandle}
import java.util.ConcurrentModificationException
import scala.annotation.publicInBinary
import scala.util.boundary

/** The entries of a map or set as bytes, and the rule of threads for them.
  *
  * Confined memory may be used by its owner thread only, which [[admit]], [[read]] and [[write]]
  * check. Shared memory has a sequence lock (as in the Linux kernel; H. Boehm, "Can seqlocks get
  * along with programming language memory models?", 2012): [[write]] makes the sequence odd and
  * [[written]] even again, so that a second writer is rejected before it stores anything, and
  * values read between [[read]] and [[settle]] are valid only if no thread has written meanwhile.
  * Both rejections are a ConcurrentModificationException. Thus one thread at a time changes fields
  * and entries, and every store is to open memory of this table: a change that finds it closed is
  * rejected, and a close waits for a change that has begun.
  *
  * Below zero, a place means that a key is absent.
  */
private[struct] abstract class EntryTable:
  /** The memory of the current entries. */
  protected def memory: EntryMemory

  /** The number of entries. */
  protected var entries = 0L

  private var isConfined = false

  /** 1 once the memory of the current entries is released, otherwise 0. */
  private var closed = 0L

  /** [[EntryTable.Confined]] if the memory is confined; otherwise odd while a thread changes the
    * table, even between.
    */
  @volatile private[entries] var sequence: Long = 0L

  /** Whether the writer runs an action that may wait for a close. */
  @volatile protected var isWaiting = false

  /** The number of times that a key was added, removed or moved. */
  @publicInBinary private[struct] var changes: Long = 0

  /** Ends the construction, when [[memory]] is there. */
  protected final def begin(): Unit =
    isConfined = memory.isConfined
    sequence = if isConfined then EntryTable.Confined else 2L
    checkClosed()

  @publicInBinary private[struct] def size: Long = entries

  /** Whether the memory of the table is released. */
  def isClosed: Boolean = closed != 0

  /** As `size`, and throws if the table is closed. */
  def openSize: Long =
    if isClosed then throw memory.closed
    entries

  /** Throws if the thread may not use the table, or if the table is closed. */
  @publicInBinary private[struct] final def admit(): Unit =
    val current = memory
    if current.thread ne Thread.currentThread then current.refuse()

  /** Begins a lookup: as [[admit]], and throws while another thread writes.
    *
    * @return
    *   the sequence, for [[settle]]
    */
  @publicInBinary private[struct] final def read(): Long =
    val now = sequence
    if isWriting(now) then
      if now == EntryTable.Confined then admit() else throw EntryTable.changed()
    now

  /** Ends a lookup: throws if a thread has written or closed the table since `before`. The memory
    * is released only after the table is marked as closed, so values read before this were stored
    * by this table.
    */
  @publicInBinary private[struct] final def settle(before: Long): Unit =
    VarHandle.loadLoadFence()
    if (sequence ^ before | closed) != 0 then
      throw (if sequence != before then EntryTable.changed() else memory.closed)

  /** Begins a change: as [[admit]], and rejects a second writer. Unless it throws, [[written]] must
    * follow; no user code may run in between.
    */
  @publicInBinary private[struct] final def write(): Unit =
    if memory.thread ne Thread.currentThread then lockOpen(sequence)

  /** As [[write]], and rejects the change if shared memory has been changed since [[read]] returned
    * `before`.
    */
  @publicInBinary private[struct] final def write(before: Long): Unit =
    if memory.thread ne Thread.currentThread then lockOpen(before)

  private def lockOpen(now: Long): Unit =
    memory.refuse()
    lock(now)
    if !memory.isOpen then
      written()
      throw memory.closed

  private def lock(now: Long): Unit =
    if isWriting(now) || !EntryTable.Sequence.compareAndSet(this, now, now + 1) then
      throw EntryTable.changed()
    VarHandle.storeStoreFence()

  private def isWriting(sequence: Long): Boolean = (sequence & 1) != 0

  @publicInBinary private[struct] final def written(): Unit =
    if !isConfined then EntryTable.Sequence.setRelease(this, sequence + 1)

  /** Whether the memory is confined to one thread. */
  protected final def isOfOneThread: Boolean = isConfined

  /** Marks the table as closed if this is its memory. Memory that is closed before it becomes the
    * current one is found by [[checkClosed]]: of the two, at least one sees what the other wrote.
    * Runs before the memory is released.
    */
  protected final def markClosed(released: EntryMemory): Unit =
    VarHandle.fullFence()
    if memory eq released then closed = 1
    if !released.isConfined then awaitWriter()

  /** Waits until a change that has begun can store nothing more: until it has ended, or is in an
    * action of [[waiting]], after which it checks the memory again. A later change finds it closed.
    * No code of the user runs meanwhile; the limit is for a thread that has no processor.
    */
  private def awaitWriter(): Unit =
    val change = sequence
    if isWriting(change) then
      val end = System.nanoTime + EntryTable.MaxWaitNanos
      def isOver = sequence != change || isWaiting || System.nanoTime - end >= 0
      while !isOver do Thread.`yield`()

  /** Runs an action of the writer that takes a lock which a close holds, or reclaims memory by code
    * of the user. A close does not wait for the writer meanwhile, so memory that the writer uses
    * afterwards is checked by [[requireOpen]].
    */
  protected final inline def waiting[A](inline action: A): A =
    isWaiting = true
    try action
    finally isWaiting = false

  protected final def requireOpen(used: EntryMemory): Unit = if !used.isOpen then throw used.closed

  /** Marks the table as closed if its memory is. */
  protected final def checkClosed(): Unit =
    VarHandle.fullFence()
    if !memory.isOpen then closed = 1

  @publicInBinary private[struct] final def missing(key: Any): Nothing =
    throw java.util.NoSuchElementException(s"no value of the key $key")

  @publicInBinary private[struct] final def checkUnchanged(before: Long): Unit =
    if changes != before then
      throw ConcurrentModificationException(
        s"keys were added or removed during an iteration or an update; the map has $entries entries"
      )

  /** The place of the first entry, or -1. */
  @publicInBinary private[struct] def firstEntry: Long

  /** The place of the next entry after the entry at a place, or -1. */
  @publicInBinary private[struct] def entryAfter(place: Long): Long

  /** Removes the entry at a place. */
  @publicInBinary private[struct] def remove(place: Long): Unit

  /** Removes the entry at a place that was found after [[read]] returned `before`. */
  @publicInBinary private[struct] final def removeFound(place: Long, before: Long): Unit =
    write(before)
    try remove(place)
    finally written()

  /** Removes all entries. */
  private[struct] final def clear(): Unit =
    write()
    try clearAlone()
    finally written()

  protected def clearAlone(): Unit

  /** Frees the memory. Idempotent. Throws ConcurrentModificationException while another thread
    * changes the map.
    */
  final def close(): Unit =
    if isConfined then memory.close()
    else
      lock(sequence)
      try waiting(memory.close())
      finally written()

  /** The error that names the closed region, or `error` if the memory is not closed, or if it is a
    * break to a `boundary` of the user. Memory that another thread has replaced is closed, too:
    * then the table has changed.
    */
  @publicInBinary private[struct] final def translate(error: RuntimeException): RuntimeException =
    val current = memory
    if current.isAlive || error.isInstanceOf[boundary.Break[?]] then error
    else
      VarHandle.loadLoadFence() // the writer sets the current memory before it closes this
      val isReplaced = memory ne current
      if isReplaced && !error.isInstanceOf[IllegalStateException] then error
      else
        val cause = if isReplaced then EntryTable.changed() else current.closed
        cause.addSuppressed(error)
        cause
end EntryTable

private[struct] object EntryTable:
  private[entries] val Sequence: VarHandle =
    MethodHandles.privateLookupIn(classOf[EntryTable], MethodHandles.lookup())
      .findVarHandle(classOf[EntryTable], "sequence", classOf[Long])

  /** The sequence of confined memory: odd, so that one comparison suffices for shared one. */
  private inline val Confined = 1L

  def changed(): ConcurrentModificationException =
    ConcurrentModificationException(
      "another thread, or a function of this operation, changed the map or set meanwhile: one " +
        "thread at a time may change it, and only while no other operation uses it"
    )

  /** The most nanoseconds that a close waits for a change that has begun: 10 seconds. */
  private inline val MaxWaitNanos = 10_000_000_000L
end EntryTable
