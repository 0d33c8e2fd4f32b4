package undercroft.file.format

import undercroft.file.format.internal.metadata.LastCommit
import undercroft.file.format.internal.storage.{FileStorage, WriterLock}
import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.nio.file.{Files, Path}
import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** A simulated disk with two images: the content that programs see, and the durable content.
  *
  * Power is lost after any number of steps. Forced bytes are durable. Each sector that was not
  * forced has its old content, its new one, that of a step in between, or is torn at a random
  * offset.
  */
final class Disk(limit: Long = Long.MaxValue) extends FileStorage:
  private val arena = Arena.ofShared()
  private val maxBytes = 1 << 20
  private val memory: MemorySegment = arena.allocate(maxBytes.toLong, 8)
  private var length = 0L
  private val forced = new Array[Byte](maxBytes)
  private var images = ArrayBuffer.empty[Array[Byte]]

  /** The possible contents of the disk after each step, any of which a power loss may leave. */
  val moments: ArrayBuffer[(Array[Byte], Vector[Array[Byte]], Long)] = ArrayBuffer.empty

  private def now: Array[Byte] = memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE).nn

  private def step(): Unit =
    images += now
    moments += ((forced.take(length.toInt), images.toVector, length))

  def start(bytes: Array[Byte]): Unit =
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length)
    length = bytes.length
    System.arraycopy(bytes, 0, forced, 0, bytes.length)

  def size: Long = length
  def read(into: Array[Byte], count: Int, at: Long): Int =
    val there = Math.clamp(length - at, 0, count)
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, into, 0, there)
    there
  def fill(at: Long, count: Long): Unit =
    if at + count > limit then throw java.io.IOException("No space left on device")
    length = Math.max(length, at + count)
    memory.asSlice(at, count).fill(0): Unit
    step()
  def map(bytes: Long): MemorySegment = memory.asSlice(0, bytes)
  override def extend(bytes: Long): Unit = length = Math.max(length, bytes)
  override def cut(bytes: Long): Unit = length = Math.min(length, bytes)
  def putSlot(slot: Array[Byte], at: Long): Unit =
    step()
    MemorySegment.copy(slot, 0, memory, ValueLayout.JAVA_BYTE, at, slot.length)
    step()
  def force(at: Long, count: Long): Unit =
    step()
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, forced, at.toInt, count.toInt)
    images = images
      .map: image =>
        val copy = java.util.Arrays.copyOf(image, length.toInt)
        System.arraycopy(forced, at.toInt, copy, at.toInt, count.toInt)
        copy
      .distinctBy(java.nio.ByteBuffer.wrap(_))
    step()
  def closeAt(bytes: Long): Unit = close()
  def close(): Unit = arena.close()
end Disk

class PowerLossTest extends undercroft.tools.Suite:
  private val Sector = 512

  /** The file after a power loss. */
  private def left(
      forced: Array[Byte],
      images: Vector[Array[Byte]],
      length: Long,
      random: Random
  ): Array[Byte] =
    val disk = forced.take(length.toInt)
    for at <- 0 until disk.length by Sector do
      val image = images(random.nextInt(images.size))
      val until = Math.min(at + Sector, Math.min(disk.length, image.length))
      val from = random.nextInt(4) match
        case 0 => until // the old sector
        case 1 => at + random.nextInt(Sector) // torn
        case _ => at
      if from < until then System.arraycopy(image, from, disk, from, until - from)
    disk

  for layout <- FileLayout.values do
    test(s"$layout: after power loss at any step all committed rows are present and whole"):
      val seed = Random.nextLong()
      println(s"seed $seed")
      val random = Random(seed)
      val path = Samples.path()
      StructWriter.create(path, Samples.schema(layout), 4096, Durability.COMMITTED).close()
      val disk = Disk()
      disk.start(Files.readAllBytes(path).nn)
      val lock = WriterLock.take(path)
      val writer = StructWriter.open(path, lock, disk, 4096, Durability.COMMITTED)
      // Pairs of steps and the rows committed by then.
      val committed = ArrayBuffer((0, 0L))
      for _ <- 0 until 12 do
        Samples.append(writer, 1 + random.nextInt(300))
        committed += ((disk.moments.size, writer.rows))
      val counts = committed.map(_(1)).toSet
      for (moment, i) <- disk.moments.zipWithIndex; _ <- 0 until 6 do
        val (forced, images, length) = moment
        val crashed = path.resolveSibling("crashed.rows").nn
        Files.write(crashed, left(forced, images, length, random))
        val file = StructFile.open(crashed)
        val promised = committed.filter(_(0) <= i + 1).map(_(1)).max
        assert(file.rows >= promised && counts(file.rows), s"step $i: ${file.rows} of $promised")
        Samples.check(file)
        file.close()
      lock.close()
      disk.close()
  end for

  test("after power loss, a commit that was forced with its header is whole, or can be removed"):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val random = Random(seed)
    val path = Samples.path()
    StructWriter.create(
      path,
      Samples.schema(FileLayout.ALIGNED),
      8192,
      Durability.COMMITTED
    ).close()
    val disk = Disk()
    disk.start(Files.readAllBytes(path).nn)
    val lock = WriterLock.take(path)
    val writer = StructWriter.open(path, lock, disk, 8192, Durability.COMMITTED)
    val committed = ArrayBuffer((0, 0L))
    for _ <- 0 until 20 do
      val rows = writer.rows + 1 + random.nextInt(300)
      Samples.put(writer, writer.rows, rows)
      writer.commitChecked(rows)
      committed += ((disk.moments.size, rows))
    var removed = 0
    for (moment, i) <- disk.moments.zipWithIndex; _ <- 0 until 18 do
      val (forced, images, length) = moment
      val crashed = path.resolveSibling("crashed.rows").nn
      Files.write(crashed, left(forced, images, length, random))
      val first = LastCommit.firstRow(crashed)
      if !isWhole(crashed) then
        LastCommit.remove(crashed)
        removed += 1
        val file = StructFile.open(crashed)
        assertEquals(file.rows, first)
        file.close()
      val promised = committed.filter(_(0) <= i + 1).map(_(1)).max
      val file = StructFile.open(crashed)
      assert(file.rows >= promised, s"step $i: ${file.rows} of $promised")
      Samples.check(file)
      file.close()
    assert(removed > 0) // about 27
    lock.close()
    disk.close()

  private def isWhole(path: Path): Boolean =
    val file = StructFile.open(path)
    try
      Samples.check(file)
      true
    catch case _: AssertionError => false
    finally file.close()

  test("the power loss simulation detects a row count written before its rows are forced"):
    val path = Samples.path()
    StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 4096, Durability.VOLATILE).close()
    val disk = Disk()
    disk.start(Files.readAllBytes(path).nn)
    val lock = WriterLock.take(path)
    val writer = StructWriter.open(path, lock, disk, 4096, Durability.VOLATILE)
    Samples.append(writer, 300)
    val random = Random(1)
    val (forced, images, length) = disk.moments.last
    val torn = (0 until 100).exists: _ =>
      val crashed = path.resolveSibling("crashed.rows").nn
      Files.write(crashed, left(forced, images, length, random))
      try
        val file = StructFile.open(crashed)
        try Samples.check(file)
        finally file.close()
        false
      catch case _: AssertionError => true
    assert(torn)
    lock.close()
    disk.close()

  test("a full disk throws with ErrorKind.NO_SPACE, and committed rows stay"):
    val path = Samples.path()
    StructWriter.create(
      path,
      Samples.schema(FileLayout.ALIGNED),
      50_000,
      Durability.COMMITTED
    ).close()
    val disk = Disk(limit = 200_000)
    disk.start(Files.readAllBytes(path).nn)
    val lock = WriterLock.take(path)
    val writer = StructWriter.open(path, lock, disk, 50_000, Durability.COMMITTED)
    Samples.append(writer, 1000)
    val (kind, words) = Samples.failure(Samples.put(writer, 1000, 30_000))
    assertEquals(kind, ErrorKind.NO_SPACE)
    assert(words.contains("No space left on device"), words)
    assertEquals(writer.rows, 1000L)
    Samples.append(writer, 10)
    Samples.check(writer.schema, writer.capacity, writer.data, 1010)
    lock.close()
    disk.close()
end PowerLossTest
