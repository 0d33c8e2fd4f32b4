package undercroft.lab.stress

import undercroft.memory.Region
import undercroft.struct.{Rows, Struct}

/** Tables, which Java cannot express; for tests in Java. */
object Tables:
  final case class Tick(value: Long) derives Struct

  private val Count = 3

  /** A table for Java to read the first row and the last row of. */
  final class Ticks(rows: Rows[Tick]):
    def first: Long = rows(0).value
    def last: Long = rows(Count - 1).value

  /** Creates a table in `region` whose rows all hold `value`. */
  def filled(region: Region, value: Long): Ticks =
    given Region = region
    val rows = Rows[Tick](Count)
    for i <- 0 until Count do rows(i) = Tick(value)
    Ticks(rows)
