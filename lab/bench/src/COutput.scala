package undercroft.lab.bench

/** Small writes in C: `lab/c/output.c`. */
final class COutput private (program: CProgram) extends AutoCloseable:
  program.ask(s"lengths ${Pieces.lengths.mkString(" ")}"): Unit

  /** Writes `bytes` bytes `rounds` times; returns the bytes of the last round. */
  def write(load: String, pages: String, bytes: Long, rounds: Long): Long =
    program.ask(s"write $load $pages $bytes $rounds")

  def close(): Unit = program.close()
end COutput

object COutput:
  def program: Option[java.nio.file.Path] = CProgram.of("output")
  def start(): COutput = COutput(CProgram.start("output"))

/** Pieces of 1 to 47 bytes, 24 on average, of one block: the writes of a serializer. */
object Pieces:
  val lengths: Array[Int] =
    val random = java.util.Random(5)
    Array.fill(256)(1 + random.nextInt(47))
  val block: Array[Byte] = Array.tabulate(4096)(_.toByte)
end Pieces
