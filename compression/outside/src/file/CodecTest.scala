package outside.compression.file

import java.nio.file.Files
import java.util.zip.{DataFormatException, Deflater, Inflater}
import undercroft.file.*
import undercroft.file.format.{BlockCodec, ErrorKind}
import undercroft.struct.*
import Visits.{failure, forged, inFolder, sealedFile}

/** A codec of a program, found as a service: the JDK's Deflate. */
final class DeflateCodec extends BlockCodec:
  def name: String = "deflate"
  def lowestLevel: Int = 1
  def highestLevel: Int = 9

  def encoder(level: Int): BlockCodec.Encoder = new BlockCodec.Encoder:
    private val deflater = Deflater(level)
    def maxBytes(count: Int): Int = count + count / 100 + 64
    def encode(source: Array[Byte], count: Int, target: Array[Byte]): Int =
      deflater.reset()
      deflater.setInput(source, 0, count)
      deflater.finish()
      deflater.deflate(target)
    def close(): Unit = deflater.end()

  def decoder(): BlockCodec.Decoder = new BlockCodec.Decoder:
    private val inflater = Inflater()
    def decode(source: Array[Byte], count: Int, target: Array[Byte], at: Int, bytes: Int): Unit =
      inflater.reset()
      inflater.setInput(source, 0, count)
      try
        val done = inflater.inflate(target, at, bytes)
        if done != bytes || !inflater.finished then
          throw IllegalArgumentException(s"$done of $bytes bytes")
      catch case error: DataFormatException => throw IllegalArgumentException(error.getMessage)
    def close(): Unit = inflater.end()
end DeflateCodec

class CodecTest extends undercroft.tools.Suite:
  private val visits = Visits.random(System.nanoTime, 20_000)

  test("a codec of the program compresses a file, and its errors name the block and the column"):
    inFolder: folder =>
      val day = sealedFile(Columns, folder.resolve("day"), visits)
      val packed = folder.resolve("packed")
      compressFile(day, packed, "deflate", level = 9)
      val table = Columns.openReadOnly[Visit](packed)
      assertEquals(table.toVector, visits)
      table.close()
      decompressFile(packed, folder.resolve("copy"))
      assertEquals(Files.mismatch(day, folder.resolve("copy")), -1L)
      // The first piece is said to be Zstandard's.
      val other = forged(packed, folder.resolve("other")): bytes =>
        bytes.put(bytes.getLong(80).toInt, "zstd\u0000\u0000\u0000".getBytes): Unit
      val (kind, words) = failure(Columns.openReadOnly[Price](other))
      assertEquals(kind, ErrorKind.CORRUPT)
      assert(words.contains("block 0 of the column ") && words.contains(" bytes of zstd: "), words)

  test("a level is checked against the range of the codec"):
    inFolder: folder =>
      val day = sealedFile(Columns, folder.resolve("day"), visits.take(10))
      val error = intercept[IllegalArgumentException]:
        compressFile(day, folder.resolve("packed"), "deflate", level = 10)
      assertEquals(error.getMessage, "level of deflate must be from 1 to 9, but is 10")
      assertEquals(Visits.names(folder), Set("day"))
end CodecTest
