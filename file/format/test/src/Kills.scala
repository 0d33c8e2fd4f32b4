package undercroft.file.format

import java.nio.file.{Files, Path}
import scala.util.Random

/** Kills an appending process repeatedly and checks the file that it leaves. */
object Kills:

  /** `Kills [TIMES] [SEED]`: 1000 times by default. */
  def main(args: Array[String]): Unit =
    val times = args.headOption.fold(1000)(_.toInt)
    val seed = args.lift(1).fold(Random.nextLong())(_.toLong)
    println(s"seed $seed")
    val rows = run(times, seed)
    println(s"$times kills, $rows rows committed, none lost, none torn")

  /** Kills `times` processes, with one file for each layout and durability level; returns the rows
    * that were committed in the end. Throws AssertionError if a committed row is lost or a row is
    * torn.
    */
  def run(times: Int, seed: Long): Long =
    val random = Random(seed)
    val folder = Files.createTempDirectory("undercroft-kills").nn
    val kinds =
      for layout <- FileLayout.values; promise <- Seq(Durability.VOLATILE, Durability.COMMITTED)
      yield (layout, promise)
    val files = kinds.map((layout, promise) => folder.resolve(s"$layout-$promise.rows").nn)
    var total = 0L
    try
      for kill <- 0 until times do
        val (layout, promise) = kinds(kill % kinds.length)
        total += once(files(kill % kinds.length), promise, layout, random)
      total
    finally
      Files.list(folder).nn.forEach(path => Files.delete(path))
      Files.delete(folder)
  end run

  private def once(path: Path, durability: Durability, layout: FileLayout, random: Random): Long =
    val before = if Files.exists(path) then rowsOf(path) else 0L
    if before > Child.Most / 2 then Files.delete(path)
    val child = Child.start("append", path, durability, layout, random.nextLong())
    val out = Child.lines(child)
    var committedRows = 0L
    try
      var left = 1 + random.nextInt(40)
      while left > 0 do
        val line = out.readLine()
        if line == null then
          throw AssertionError(s"the child ended by itself after $committedRows rows")
        committedRows = line.toLong
        left -= 1
      val spins = random.nextInt(200_000)
      for _ <- 0 until spins do Thread.onSpinWait()
    finally
      // Killed by its handle, which leaves its output open: the rest is read below.
      child.toHandle.nn.destroyForcibly(): Unit
      child.waitFor(): Unit
    // Lines printed after the last line read above were committed, too.
    var line = out.readLine()
    while line != null do
      line.nn.toLongOption.foreach(rows => committedRows = Math.max(committedRows, rows))
      line = out.readLine()
    val rows = rowsOf(path)
    if rows < committedRows then
      throw AssertionError(s"$path has $rows rows of $committedRows that were committed")
    rows - (if before > Child.Most / 2 then 0 else before)
  end once

  /** The row count of a file, after a check of each row. */
  private def rowsOf(path: Path): Long =
    val file = StructFile.open(path)
    try
      file.verify()
      Samples.check(file)
      file.rows
    finally file.close()
end Kills
