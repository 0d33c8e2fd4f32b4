package undercroft.arrow

import java.io.{FileOutputStream, IOException}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.file.{Files, Path, StandardCopyOption}
import undercroft.structfile.Moves

/** A file that is written from front to back, aside, and takes its name once it is whole. For one
  * thread.
  */
private[arrow] final class Output(path: Path) extends AutoCloseable:
  private val bytes = new Array[Byte](Output.BufferBytes)
  private val buffer = MemorySegment.ofArray(bytes).nn
  private var filled = 0
  private var written = 0L
  private var isDone = false

  private val (aside, stream) =
    if Files.exists(path) then
      throw ArrowException(path, 0, ArrowFault.Exists, "another name, please, or delete it first")
    try
      val folder = path.toAbsolutePath.nn.getParent.nn
      val name = s".${path.getFileName}-${ProcessHandle.current.nn.pid}-${System.nanoTime}.part"
      val file = Files.createFile(folder.resolve(name)).nn
      (file, FileOutputStream(file.toFile))
    catch case error: IOException => throw ArrowException.of(path, 0, error)

  /** How many bytes there are. */
  def position: Long = written + filled

  /** An error about what is to be written here. */
  def fault(fault: ArrowFault, reason: String): ArrowException =
    ArrowException(path, position, fault, reason)

  def put(byte: Byte): Unit =
    if filled == bytes.length then flush()
    bytes(filled) = byte
    filled += 1

  def putInt(value: Int): Unit =
    if bytes.length - filled < 4 then flush()
    buffer.set(Output.int, filled, value)
    filled += 4

  def put(content: Array[Byte], count: Int): Unit =
    var done = 0
    while done < count do
      val part = space(count - done)
      System.arraycopy(content, done, bytes, filled, part)
      filled += part
      done += part

  /** Writes values that lie at a distance from each other, one after the other. */
  def put(memory: MemorySegment, start: Long, step: Long, size: Int, count: Long): Unit =
    if step == size then
      val all = count * size
      var done = 0L
      while done < all do
        val part = space(all - done)
        MemorySegment.copy(memory, start + done, buffer, filled, part)
        filled += part
        done += part
    else if size > bytes.length then
      for i <- 0L until count do put(memory, start + i * step, size, size, 1)
    else
      var done = 0L
      while done < count do
        if bytes.length - filled < size then flush()
        val part = Math.min(count - done, (bytes.length - filled) / size).toInt
        Moves.copy(memory, start + done * step, step, buffer, filled, size, size, part)
        filled += part * size
        done += part

  /** Zeros up to a multiple of `ArrowFile.Alignment`. */
  def pad(): Unit = while position % ArrowFile.Alignment != 0 do put(0.toByte)

  /** How many bytes of `wanted` fit in the buffer now; at least one. */
  private def space(wanted: Long): Int =
    if filled == bytes.length then flush()
    Math.min(wanted, bytes.length - filled).toInt

  private def flush(): Unit =
    try stream.write(bytes, 0, filled)
    catch case error: IOException => throw ArrowException.of(path, position, error)
    written += filled
    filled = 0

  /** Gives the file its name. */
  def finish(): Unit =
    flush()
    try
      stream.close()
      if Files.exists(path) then throw fault(ArrowFault.Exists, "it was made meanwhile")
      Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE)
    catch case error: IOException => throw ArrowException.of(path, position, error)
    isDone = true

  /** Deletes what was written, unless it is finished. */
  def close(): Unit =
    if !isDone then
      try
        stream.close()
        val _ = Files.deleteIfExists(aside)
      catch case _: IOException => () // what failed before is what the caller hears of
end Output

private object Output:
  /** What is written at once: so much that the calls do not count. */
  private val BufferBytes = 1 << 20

  private val int = ValueLayout.JAVA_INT_UNALIGNED.nn.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN).nn
