package undercroft.file

import java.nio.file.{Files, Path}
import scala.util.Random

/** Kills a process that appends, again and again, and looks at what it left. */
object Kills:

  /** `Kills [TIMES] [SEED]`: 1000 times, unless said otherwise. */
  def main(args: Array[String]): Unit =
    val times = args.headOption.fold(1000)(_.toInt)
    val seed = args.lift(1).fold(Random.nextLong())(_.toLong)
    println(s"seed $seed")
    val rows = run(times, seed)
    println(s"$times kills, $rows rows committed, none lost, none torn")

  /** Kills `times` processes, on one file for each layout and promise; the rows that were committed
    * at the end. Throws AssertionError where a committed row is lost, or a row torn.
    */
  def run(times: Int, seed: Long): Long =
    val random = Random(seed)
    val folder = Files.createTempDirectory("undercroft-kills").nn
    val kinds =
      for layout <- Layout.values; promise <- Seq(Promise.VOLATILE, Promise.COMMITTED)
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

  private def once(path: Path, promise: Promise, layout: Layout, random: Random): Long =
    val before = if Files.exists(path) then rowsOf(path) else 0L
    if before > Child.Most / 2 then Files.delete(path)
    val child = Child.start("append", path, promise, layout, random.nextLong())
    val out = Child.lines(child)
    var told = 0L
    try
      var left = 1 + random.nextInt(40)
      while left > 0 do
        val line = out.readLine()
        if line == null then throw AssertionError(s"the child ended by itself after $told rows")
        told = line.toLong
        left -= 1
      val spins = random.nextInt(200_000)
      for _ <- 0 until spins do Thread.onSpinWait()
    finally
      // By its handle, which leaves open what it said: that is read to its end.
      child.toHandle.nn.destroyForcibly(): Unit
      child.waitFor(): Unit
    // What it said after the last line that was read was committed, too.
    var line = out.readLine()
    while line != null do
      line.nn.toLongOption.foreach(rows => told = Math.max(told, rows))
      line = out.readLine()
    val rows = rowsOf(path)
    if rows < told then throw AssertionError(s"$path has $rows rows of $told that were committed")
    rows - (if before > Child.Most / 2 then 0 else before)
  end once

  /** The rows of a file, each of which is looked at. */
  private def rowsOf(path: Path): Long =
    val file = StructFile.open(path)
    try
      file.verify()
      Samples.check(file)
      file.rows
    finally file.close()
end Kills
