package undercroft.lab.stress

import undercroft.memory.{MemoryException, Region}
import undercroft.struct.{Rows, Struct}

/** Rows so wide that all their words are read through the cage before one check. Java cannot
  * express them; for tests in Java.
  */
object WideRows:
  final case class Wide(
      f0: Int,
      f1: Int,
      f2: Int,
      f3: Int,
      f4: Int,
      f5: Int,
      f6: Int,
      f7: Int,
      f8: Int,
      f9: Int,
      f10: Int,
      f11: Int,
      f12: Int,
      f13: Int,
      f14: Int,
      f15: Int,
      f16: Int,
      f17: Int,
      f18: Int,
      f19: Int,
      f20: Int,
      f21: Int,
      f22: Int,
      f23: Int,
      f24: Int,
      f25: Int,
      f26: Int,
      f27: Int,
      f28: Int,
      f29: Int,
      f30: Int,
      f31: Int,
      f32: Int,
      f33: Int,
      f34: Int,
      f35: Int,
      f36: Int,
      f37: Int,
      f38: Int,
      f39: Int
  ) derives Struct:
    /** The number that all fields hold; 0 if they differ. */
    def one: Int =
      val fields = productIterator.map(field => field.asInstanceOf[Int]).toArray
      if fields.forall(_ == f0) then f0 else 0
  end Wide

  object Wide:
    def of(value: Int): Wide =
      Wide(
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value,
        value
      )
  end Wide

  /** A table of one wide row; each of its fields holds the lower half of the value. */
  final class Table(rows: Rows[Wide]):
    def read(): String =
      try
        val half = rows(0).one.toLong
        Access.word(half << 32 | half)
      catch case _: MemoryException => "refused"

  def filled(region: Region, value: Long): Table =
    given Region = region
    val rows = Rows[Wide](1)
    rows(0) = Wide.of(value.toInt)
    Table(rows)
end WideRows
