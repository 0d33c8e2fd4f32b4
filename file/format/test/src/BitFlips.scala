package undercroft.file.format

import java.io.RandomAccessFile
import java.nio.file.Files
import scala.util.Random

/** Flips bits of sealed files, one at a time, and opens and verifies them. */
object BitFlips:

  /** `BitFlips [TIMES] [SEED]`: 100 000 times by default. */
  def main(args: Array[String]): Unit =
    val times = args.headOption.fold(100_000)(_.toInt)
    val seed = args.lift(1).fold(Random.nextLong())(_.toLong)
    println(s"seed $seed")
    run(times, seed)
    println(s"$times bits flipped, all of them found")

  /** Throws AssertionError if a flipped bit is not detected. */
  def run(times: Int, seed: Long): Unit =
    val random = Random(seed)
    for layout <- FileLayout.values do
      val path = Samples.sealedFile(layout, 500, 128)
      val file = RandomAccessFile(path.toFile, "rw")
      try
        for _ <- 0 until Math.ceilDiv(times, 3) do
          val (at, bit) = (random.nextLong(file.length), 1 << random.nextInt(8))
          flip(file, at, bit)
          val (kind, words) = Samples.failure:
            val opened = StructFile.open(path)
            try opened.verify()
            finally opened.close()
          if kind != ErrorKind.CORRUPT && kind != ErrorKind.NOT_A_STRUCT_FILE then
            throw AssertionError(s"$layout, byte $at, bit $bit: $words")
          flip(file, at, bit)
        val opened = StructFile.open(path)
        opened.verify()
        Samples.check(opened)
        opened.close()
      finally
        file.close()
        Files.delete(path)
    end for
  end run

  private def flip(file: RandomAccessFile, at: Long, bit: Int): Unit =
    file.seek(at)
    val byte = file.read()
    file.seek(at)
    file.write(byte ^ bit)
end BitFlips
