package undercroft.actor

import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green

final case class Point(x: Int, y: Double) derives Struct, CanEqual

opaque type Price = Long
object Price:
  def apply(cents: Long): Price = cents
  given CanEqual[Price, Price] = CanEqual.derived
  extension (price: Price) def cents: Long = price

/** The messages of the tests of slots. */
enum EventLog derives Struct, CanEqual:
  case Stop, Start
  case Token(id: Int, value: Int)
  case All(
      a: Boolean,
      b: Byte,
      c: Short,
      d: Char,
      e: Int,
      f: Long,
      g: Float,
      h: Double,
      color: Color,
      at: Point
  )
  case Words(text: Text[16])
  case Maybe(n: Option[Int], at: Option[Point], color: Option[Color], left: Int)
  case Far(at: Ref[Point], text: TextRef, bytes: BytesRef, price: Price, left: Int)
