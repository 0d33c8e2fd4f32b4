package outside.compression.file

import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32C
import scala.util.{Random, Using}
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.struct.*

enum Channel derives Struct, CanEqual:
  case Web, Shop, Phone

case class Money(amount: Long, currency: Text[3]) derives Struct, CanEqual

case class Visit(
    id: Long,
    price: Int,
    weight: Double,
    name: Text[20],
    channel: Channel,
    paid: Option[Int],
    total: Money,
    cells: InlineArray[Short, 3],
    noise: Long
) derives Struct, CanEqual

/** Two of the fields. */
case class Price(price: Int, id: Long) derives Struct, CanEqual

object Visits:
  /** Random visits; `noise` is incompressible. */
  def random(seed: Long, count: Int): Vector[Visit] =
    val random = Random(seed)
    Vector.tabulate(count): i =>
      Visit(
        i,
        random.nextInt(100),
        random.nextGaussian(),
        Text(s"name ${random.nextInt(1000)} é"),
        Channel.fromOrdinal(random.nextInt(3)),
        Option.when(random.nextBoolean())(random.nextInt()),
        Money(random.nextInt(1000), Text("EUR")),
        InlineArray(i.toShort, 1.toShort, random.nextInt().toShort),
        random.nextLong()
      )

  def sealedFile[L <: Layout](
      tables: TableFactory[L],
      path: Path,
      visits: Seq[Visit]
  ): Path =
    val table = tables.create[Visit](path, maxRows = visits.size)
    table.appendAll(visits)
    table.seal()
    path

  def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  /** The kind of a StructFileException, and its message. */
  def failure(body: => Any): (ErrorKind, String) =
    try
      val value = body
      throw AssertionError(s"no StructFileException, but $value")
    catch case error: StructFileException => (error.kind, error.getMessage)

  def names(folder: Path): Set[String] =
    Using.resource(Files.list(folder)): paths =>
      paths.toList.toArray.map(path => path.asInstanceOf[Path].getFileName.toString).toSet

  /** A changed copy of a file, with the checksums of its table and its headers recomputed. */
  def forged(path: Path, copy: Path)(change: ByteBuffer => Unit): Path =
    val bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN)
    change(bytes)
    val (at, size) = (bytes.getLong(80), bytes.getLong(88))
    if at >= 0 && size >= 0 && at + size <= bytes.limit then
      bytes.putInt(96, checksum(bytes, at.toInt, size.toInt)): Unit
    bytes.putInt(4092, checksum(bytes, 0, 4092))
    bytes.put(4096, bytes, 0, 4096)
    Files.write(copy, bytes.array)

  def checksum(bytes: ByteBuffer, from: Int, count: Int): Int =
    val crc = CRC32C()
    crc.update(bytes.array, from, count)
    crc.getValue.toInt
end Visits
