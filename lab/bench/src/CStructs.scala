package undercroft.lab.bench

/** Columns and structs in C: `lab/c/structs.c`. */
final class CStructs private (program: CProgram) extends AutoCloseable:
  /** The sum of the numbers below `rows`, from memory, in each of `passes` passes. */
  def sum(rows: Int, passes: Int): Long = program.ask(s"sum $rows $passes")

  /** Copies `count` structs of `bytes` bytes, `passes` times; returns the last number of the last
    * struct.
    */
  def copy(bytes: Int, count: Int, passes: Int): Long = program.ask(s"copy $bytes $count $passes")

  def close(): Unit = program.close()
end CStructs

object CStructs:
  def program: Option[java.nio.file.Path] = CProgram.of("structs")
  def start(): CStructs = CStructs(CProgram.start("structs"))
