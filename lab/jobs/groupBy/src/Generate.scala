package groupBy

import java.io.BufferedOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.SplittableRandom
import scala.util.Using

/** Writes the benchmark's rows as CSV: texts and numbers of `groups` groups and of `rows / groups`
  * groups, and three values. No value is missing, and no column is sorted.
  */
object Generate:
  val Header = "id1,id2,id3,id4,id5,id6,v1,v2,v3"

  def main(args: Array[String]): Unit = args match
    case Array(file, rows, groups) => write(Path.of(file), rows.toLong, groups.toInt, seed = 1)
    case _ => throw IllegalArgumentException("arguments must be FILE ROWS GROUPS")

  def write(file: Path, rows: Long, groups: Int, seed: Long): Unit =
    require(groups >= 1 && groups <= 999, s"groups must be in [1, 999]: $groups")
    val random = SplittableRandom(seed)
    val many = Math.toIntExact((rows / groups).max(1))
    val (few, small) = (texts(groups, "id%03d,"), texts(groups.max(15), "%d,"))
    val (long, large) = (texts(many, "id%010d,"), texts(many, "%d,"))
    Using.resource(BufferedOutputStream(Files.newOutputStream(file), 1 << 16)): out =>
      out.write(s"$Header\n".getBytes(UTF_8))
      var row = 0L
      while row < rows do
        for ids <- Array(few, few) do out.write(ids(random.nextInt(groups)))
        out.write(long(random.nextInt(many)))
        for _ <- 0 until 2 do out.write(small(random.nextInt(groups)))
        out.write(large(random.nextInt(many)))
        out.write(small(random.nextInt(5)))
        out.write(small(random.nextInt(15)))
        val millionths =
          100_000_000 + random.nextInt(100_000_000) // with a digit before all of them
        val digits = millionths.toString
        out.write(s"${digits.substring(1, 3)}.${digits.substring(3)}\n".getBytes(UTF_8))
        row += 1
  end write

  /** The numbers from 1 on, in a format. */
  private def texts(count: Int, format: String): Array[Array[Byte]] =
    Array.tabulate(count)(i => format.format(i + 1).getBytes(UTF_8))
end Generate
