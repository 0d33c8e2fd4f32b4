package undercroft.lab.stress

import undercroft.memory.Region
import undercroft.struct.{Rows, Struct}

/** What Java cannot say of tables. */
object Tables:
  final case class Tick(value: Long) derives Struct

  private val Count = 3

  /** A table, of which Java sees the first row and the last. */
  final class Ticks(rows: Rows[Tick]):
    def first: Long = rows(0).value
    def last: Long = rows(Count - 1).value

  /** A new table, every row of which holds the value. */
  def filled(region: Region, value: Long): Ticks =
    given Region = region
    val rows = Rows[Tick](Count)
    for i <- 0 until Count do rows(i) = Tick(value)
    Ticks(rows)
