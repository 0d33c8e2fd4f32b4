package billionRows

import java.io.BufferedOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.SplittableRandom
import scala.util.Using

/** Writes the challenge's rows, `name;-12.3` and a line feed each: the same for equal arguments. */
object Generate:
  def main(args: Array[String]): Unit = args match
    case Array(file, rows, stations) => write(Path.of(file), rows.toLong, stations.toInt, seed = 1)
    case _ => throw IllegalArgumentException("arguments must be FILE ROWS STATIONS")

  def write(file: Path, rows: Long, stations: Int, seed: Long): Unit =
    require(stations >= 1 && stations <= 10_000, s"stations must be in [1, 10000]: $stations")
    val random = SplittableRandom(seed)
    val names = Generate.names(stations, random).map(_.getBytes(UTF_8))
    val means = Array.fill(stations)(random.nextInt(-200, 320)) // tenths of a degree
    val values = Array.tabulate(1999)(index => s";${(index - 999) / 10.0}\n".getBytes(UTF_8))
    Using.resource(BufferedOutputStream(Files.newOutputStream(file), 1 << 16)): out =>
      var row = 0L
      while row < rows do
        val station = random.nextInt(stations)
        val tenths = (means(station) + random.nextGaussian() * 100).toInt.max(-999).min(999)
        out.write(names(station))
        out.write(values(tenths + 999))
        row += 1

  /** Different names of 3 to 26 bytes, or to 100 if there are more than the challenge's 413. */
  private def names(count: Int, random: SplittableRandom): Array[String] =
    val longest = if count <= 413 then 26 else 100
    val taken = scala.collection.mutable.LinkedHashSet[String]()
    for index <- 0 until count do
      val size = 3 + random.nextInt(longest - 12).min(random.nextInt(longest - 12))
      val name = StringBuilder()
      while name.toString.getBytes(UTF_8).length < size do
        val isForeign = random.nextInt(100) == 0 // so that about one name in forty is not ASCII
        val syllables = if isForeign then Foreign else Plain
        name ++= syllables(random.nextInt(syllables.length))
      val text = name.toString.capitalize
      if !taken.add(text) then taken.add(s"$text $index"): Unit
    taken.toArray

  private val Plain =
    Array("ba", "do", "ri", "su", "ne", "lo", "na", "shi", "to", "ver", "mon", "ge")
  private val Foreign = Array("é", "lö", "ña", "ça", "京")
end Generate
