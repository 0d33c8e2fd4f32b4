package undercroft.memory
package internal.cage

import internal.platform.{LoaderLifetime, Settings}
import java.io.IOException
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.file.{FileStore, Files, Path}
import java.util.concurrent.ConcurrentSkipListMap

/** A sparse file in shared memory, for processes without native access.
  *
  * {{{
  *   table | history | cage
  * }}}
  *
  * The file is mapped without a restricted method; see [[CageFile]]. Pages are committed by writing
  * zeros to the file, because a full file system is an error there, but a crash in an access to a
  * mapping. Committed pages stay as long as the class loader: they cannot be returned without
  * native calls. A region's segments are separate mappings of the same bytes, so that they are
  * closed with the region.
  */
private[memory] final class FileSpace private (
    file: CageFile,
    directory: Path,
    store: FileStore,
    val range: Long,
    free: Long
) extends AddressSpace:
  private val tableBytes = FileSpace.tableBytes(range)
  private val historyBytes = FileSpace.historyBytes(range)
  private val cageBegins = tableBytes + historyBytes
  private val windows = ConcurrentSkipListMap[Long, (MemorySegment, Long)]()
  @volatile private var mark = 0L

  // One mapping, so that the system grants all or nothing: it lasts as long as this class loader.
  private val whole = file.map(
    0,
    cageBegins + range + Cage.PageBytes,
    if LoaderLifetime.isPermanent then Arena.global else Arena.ofAuto
  )
  val segment: MemorySegment = whole.asSlice(cageBegins, range + Cage.PageBytes)
  val table: MemorySegment = whole.asSlice(0, tableBytes)
  val history: MemorySegment = whole.asSlice(tableBytes, historyBytes)

  def largestAlignment: Long = FileSpace.LargestAlignment
  def open: MemorySegment = segment
  def openBase: Long = 0
  def guarded: Boolean = true
  def readableEnd: Long = mark
  def returnsMemory: Boolean = false
  def capacity: Long = free
  def description: String = s"a file of up to $free bytes in $directory, native access being denied"

  def raise(end: Long): Unit = synchronized:
    if end > mark then
      val from = mark >>> Cage.PageShift
      val pages = (end >>> Cage.PageShift) - from
      checkRoom(pages * (4 + 8 * PageTable.HistorySlots))
      file.write(from * 4, pages * 4)
      file.write(
        tableBytes + from * 8 * PageTable.HistorySlots,
        pages * 8 * PageTable.HistorySlots
      )
      mark = end

  /** Throws if the file system has less room: a write would fill it before it fails, and no page
    * could be committed afterwards.
    */
  private def checkRoom(bytes: Long): Unit =
    val usable =
      try store.getUsableSpace
      catch case _: IOException => Long.MaxValue // the folder was deleted: the write will tell
    if bytes > usable then
      throw MemoryLimitException(s"the file system of $directory", bytes, usable)

  def commit(offset: Long, bytes: Long): Unit = file.write(cageBegins + offset, bytes)
  def decommit(offset: Long, bytes: Long): Unit = segment.asSlice(offset, bytes).fill(0): Unit
  def adviseHuge(offset: Long, bytes: Long): Boolean = false

  def populate(offset: Long, bytes: Long): Unit = ()

  def window(offset: Long, bytes: Long, arena: Arena): MemorySegment =
    // An empty range has no mapping and no address.
    val window = file.map(cageBegins + offset, Math.max(bytes, 1), arena)
    val _ = windows.put(window.address, (window, offset))
    window.asSlice(0, bytes)

  def offsetOf(segment: MemorySegment): Long =
    val direct = segment.address - this.segment.address
    if !segment.isNative then -1
    else if direct >= 0 && direct < range then direct
    else
      // A closed window may still be recorded while its address is already reused.
      var entry = windows.floorEntry(segment.address)
      while entry != null && !entry.getValue._1.scope.isAlive do
        entry = windows.lowerEntry(entry.getKey)
      if entry == null then -1
      else
        val (window, offset) = entry.getValue
        val distance = segment.address - window.address
        if distance < window.byteSize then offset + distance else -1

  def forget(window: MemorySegment): Unit =
    val _ = windows.computeIfPresent(
      window.address,
      (_, entry) => if entry._1.scope.equals(window.scope) then null else entry
    )
end FileSpace

private[memory] object FileSpace:
  /** 1 TiB: a sparse file costs nothing until it is used. */
  private val LargestRange = 1L << 40

  /** 4 KiB: each window is a mapping of its own, which begins at any page of the system. */
  private val LargestAlignment = 4096L

  /** If shared memory has less than this (Docker provides 64 MiB), the temporary folder is used if
    * it has more.
    */
  private val EnoughBytes = 256L << 20

  private def tableBytes(range: Long): Long = (range >>> Cage.PageShift) * 4
  private def historyBytes(range: Long): Long =
    (range >>> Cage.PageShift) * 8 * PageTable.HistorySlots

  def reserve(): FileSpace =
    val directory = choose()
    val (file, store) =
      try (CageFile.create(directory), Files.getFileStore(directory))
      catch case error: IOException => throw uncreated(directory, error)
    val free = store.getUsableSpace
    var range = Math.min(Settings.rangeBytes, LargestRange)
    var space: FileSpace | Null = null
    while space == null && range >= Settings.SmallestRange do
      space =
        try FileSpace(file, directory, store, range, free)
        catch
          case _: (MemoryLimitException | IOException | OutOfMemoryError) => null
      range >>= 1
    if space == null then
      throw MemoryLimitException("the system's address space", Settings.SmallestRange, 0)
    else space
  end reserve

  private def uncreated(directory: Path, cause: IOException): IllegalStateException =
    IllegalStateException(
      s"native access is denied or switched off, and the file for memory cannot be created in $directory: " +
        s"$cause; -Dundercroft.directory=FOLDER selects a writable folder, and memory with " +
        "--enable-native-access=ALL-UNNAMED needs no file",
      cause
    )

  private def choose(): Path =
    val temporary = Path.of(System.getProperty("java.io.tmpdir", "."))
    val chosen = Settings.directory
    if chosen != null then Path.of(chosen)
    else
      val shared = Path.of("/dev/shm")
      if !Files.isWritable(shared) then temporary
      else
        val inShared = Files.getFileStore(shared).getUsableSpace
        val isEnough = inShared >= EnoughBytes
        if isEnough || inShared >= Files.getFileStore(temporary).getUsableSpace then shared
        else temporary
end FileSpace
