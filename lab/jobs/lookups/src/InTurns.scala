package lookups

// How fast are lookups in a struct file beside those in LMDB, SQLite, Lance and Parquet, as whole
// processes in turns?

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.util.Using
import turns.Run

object InTurns:
  /** The programs of this package; `pythons` are the programs of `rivals.py`. */
  val programs = Seq("Ours", "Lmdb", "Sqlite")
  val pythons = Seq("lance", "parquet")

  /** The names of a program's times in nanoseconds: of an item that is written; of a lookup in a
    * file that is not in the system's cache; of one that is; of an item that is added while another
    * thread looks up; of such a lookup.
    */
  val Times = Seq("write", "cold", "warm", "append", "beside")

  def main(args: Array[String]): Unit = args match
    case Array(items, rounds, python*) if python.sizeIs <= 1 =>
      val all = programs ++ python.flatMap(_ => pythons)
      println(
        "round, program, nanoseconds: written, cold, warm, added beside lookups, such a lookup"
      )
      for
        number <- 0 until rounds.toInt
        run <- turns.round(all, number)(InTurns.run(_, items.toLong, python.headOption))(answer)
      do
        println(
          s"${number + 1}  ${run.program}  ${times(run).map((name, nanos) => s"$name=$nanos").mkString(" ")}"
        )
    case _ =>
      throw IllegalArgumentException(
        "arguments must be ITEMS ROUNDS, and the Python of the rivals if they are to run"
      )

  /** Writes a file, drops it from the system's cache, and reads it: each step is a process. */
  def run(program: String, items: Long, python: Option[String]): Run =
    val folder = Files.createTempDirectory("lookups")
    try
      val few = 3_000L.min(items / 10).max(100)
      val warm = if pythons.contains(program) then few else items
      val steps = Seq("write" -> 0L, "cold" -> few, "warm" -> warm, "beside" -> 2_000L)
      val runs =
        for (step, count) <- steps if !(program == "parquet" && step == "beside") yield
          if step == "cold" then dropFromCache(folder)
          val arguments = Seq(step, folder.resolve("items").toString, s"$items", s"$count")
          if pythons.contains(program) then runPython(python.get, program, arguments)
          else turns.runJava(program, "lookups.Steps", flags, (program +: arguments)*)
      Run(program, runs.map(_.output).mkString, runs.map(_.seconds).sum, runs.map(_.cpuSeconds).sum)
    finally delete(folder)

  /** What LMDB's binding needs. */
  private val flags = Seq(
    "--sun-misc-unsafe-memory-access=allow",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
  )

  private def runPython(python: String, engine: String, arguments: Seq[String]): Run =
    val script = Using.resource(getClass.getResourceAsStream("rivals.py"))(_.readAllBytes())
    turns.runProcess(engine, Seq(python, "-c", String(script, UTF_8), engine) ++ arguments)

  /** GNU's `dd` drops what the cache has of a file, if the file is on the disk. */
  private def dropFromCache(folder: Path): Unit =
    for file <- files(folder) if Files.isRegularFile(file) do
      val flags = Seq("oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none")
      turns.runProcess("dd", Seq("dd", s"of=$file") ++ flags): Unit

  private def delete(folder: Path): Unit = files(folder).reverse.foreach(Files.delete)

  private def files(folder: Path): Seq[Path] =
    Using.resource(Files.walk(folder))(_.iterator.asScala.toSeq)

  /** The sums of the elements that the steps have read. */
  def answer(run: Run): String =
    run.output.linesIterator.slice(1, 3).map(_.split(' ').last).mkString(" ")

  /** The nanoseconds of an item, by name. */
  def times(run: Run): Map[String, Double] =
    val words = run.output.split("\\s+").toSeq
    words.collect { case s"$name=$nanos" if Times.contains(name) => name -> nanos.toDouble }.toMap
end InTurns
