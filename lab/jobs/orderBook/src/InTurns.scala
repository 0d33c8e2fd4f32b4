package orderBook

// How fast is an order book of structs beside books of objects, as whole processes in turns?

import java.nio.file.{Files, Path}
import turns.Run

object InTurns:
  /** A program, and the flags of its collector. */
  private val flags = Map(
    "Ours" -> Seq("-XX:+UseG1GC"),
    "Heap-G1" -> Seq("-XX:+UseG1GC"),
    "Heap-ZGC" -> Seq("-XX:+UseZGC"),
    "Agrona-G1" -> Seq("-XX:+UseG1GC"),
    "Agrona-ZGC" -> Seq("-XX:+UseZGC")
  )
  val programs = Seq("Ours", "Heap-G1", "Heap-ZGC", "Agrona-G1", "Agrona-ZGC")

  /** The names of a program's times in nanoseconds: the mean of a message, percentiles of its
    * handling, and percentiles from its arrival, if one arrived every two microseconds.
    */
  val Times = "message" +: (for name <- Seq("p", "delay"); share <- Seq("50", "99", "999", "9999")
  yield name + share)

  def main(args: Array[String]): Unit = args match
    case Array(messages, live, rounds) =>
      val file = Files.createTempFile("messages", ".bin")
      try
        Generate.write(file, messages.toLong, live.toInt, seed = 1)
        println(
          "round, program, nanoseconds: mean of a message, percentiles, percentiles from arrival"
        )
        for
          number <- 0 until rounds.toInt
          run <- round(file, live.toInt, number)
        do
          println(f"${number + 1}  ${run.program}%-11s  ${run.output.linesIterator.drop(1).next()}")
      finally Files.delete(file)
    case _ => throw IllegalArgumentException("arguments must be MESSAGES LIVE ROUNDS")

  /** Runs all programs, in the other order if `number` is odd; fails if their answers differ. */
  def round(file: Path, live: Int, number: Int): Seq[Run] =
    turns.round(programs, number)(run(_, file, live))(answer)

  def run(program: String, file: Path, live: Int): Run =
    val mainClass = s"orderBook.${program.takeWhile(_ != '-')}"
    val heap =
      Seq("-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch", "--sun-misc-unsafe-memory-access=allow")
    turns.runJava(program, mainClass, flags(program) ++ heap, file.toString, live.toString)

  /** The digests of the trades and of the book at the end. */
  def answer(run: Run): String = run.output.linesIterator.next()

  /** The nanoseconds of a message, by name. */
  def times(run: Run): Map[String, Double] =
    val words = run.output.linesIterator.drop(1).next().split(' ')
    words.map { case s"$name=$nanos" => name -> nanos.toDouble }.toMap
end InTurns
