package outside.duckdb

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}
import java.util.zip.CRC32C
import scala.util.Random
import undercroft.duckdb.*
import undercroft.file.format.{Durability, StructFile, StructFileException}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*

/** Forged struct files with correct checksums. */
class ForgedFileTest extends undercroft.tools.RoundsSuite:

  testRounds(
    "a query of a forged struct file returns a result or throws, and never crashes the JVM"
  )(
    60,
    400
  ): rounds =>
    val seed = sys.env.getOrElse("UNDERCROFT_SEED", System.nanoTime.toString)
    val outcome = CheckedHeap.run(classOf[ForgedFiles], seed, s"$rounds")
    assertEquals(outcome.exit, 0, s"seed $seed: ${outcome.output}")
    assert(outcome.output.contains(s"$rounds files: "), outcome.output)
    // The test is meaningful only if some forgeries are read and some rejected.
    assert(
      !outcome.output.contains(": 0 read") && !outcome.output.contains(", 0 refused"),
      outcome.output
    )

object ForgedFiles:
  private val Slot = 4096

  private def sample(path: Path, isSealed: Boolean): Array[Byte] =
    val table = Columns.create[Car](path, maxRows = 100, Durability.COMMITTED)
    for i <- 0 until 50 do table += Car.of(i)
    if isSealed then table.seal() else table.commit()
    table.close()
    Files.readAllBytes(path)

  private def sum(bytes: Array[Byte], from: Long, count: Long): Option[Int] =
    if from < 0 || count < 0 || from > bytes.length || count > bytes.length - from then None
    else
      val crc = CRC32C()
      crc.update(bytes, from.toInt, count.toInt)
      Some(crc.getValue.toInt)

  /** Changes some bytes of the headers, the schema or the data, and recomputes the checksums. */
  private def forged(sample: Array[Byte], random: Random): Array[Byte] =
    val bytes = sample.clone
    val schemaBytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(48).toInt
    for _ <- 0 to random.nextInt(3) do
      val at = random.nextInt(4) match
        case 0 => 8 + random.nextInt(112)
        case 1 => 2 * Slot + random.nextInt(schemaBytes)
        case 2 => 2 * Slot + random.nextInt(schemaBytes)
        case _ => random.nextInt(bytes.length)
      bytes(at) = random.nextInt(3) match
        case 0 => random.nextInt().toByte
        case 1 => (bytes(at) ^ 1 << random.nextInt(8)).toByte
        case _ => Seq[Byte](0, 1, 2, 127, -1)(random.nextInt(5))
    // Copies the first header over the second.
    System.arraycopy(bytes, 0, bytes, Slot, Slot)
    val words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    for at <- Seq(0, Slot) do
      sum(bytes, 2L * Slot, words.getLong(at + 40) - 2 * Slot).foreach(words.putInt(at + 56, _))
      sum(bytes, words.getLong(at + 80), words.getLong(at + 88)).foreach(words.putInt(at + 96, _))
      sum(bytes, at, Slot - 4).foreach(words.putInt(at + Slot - 4, _))
    bytes
  end forged

  def main(arguments: Array[String]): Unit =
    val random = Random(arguments(0).toLong)
    val rounds = arguments(1).toInt
    val file = path("forged")
    val samples = Seq(sample(path("live"), false), sample(path("sealed"), true))
    val duckdb = DuckDb()
    var (read, refused) = (0, 0)
    for round <- 0 until rounds do
      Files.write(file, forged(samples(round % 2), random))
      try
        val opened = StructFile.open(file)
        try
          duckdb.register("forged", opened)
          duckdb.query("select * from forged")
          duckdb.query("select count(*) from forged where id between 3 and 20 or color = 'Red'")
          read += 1
        finally opened.close()
      catch
        case _: (StructFileException | DuckDbException | NoSuchElementException) => refused += 1
        case error: Throwable =>
          throw AssertionError(s"round $round", error)
    duckdb.close()
    println(s"$rounds files: $read read, $refused refused")
  end main
end ForgedFiles

final class ForgedFiles
