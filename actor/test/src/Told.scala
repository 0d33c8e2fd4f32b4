package undercroft.actor

import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green

final case class Point(x: Int, y: Double) derives Struct, CanEqual

/** What the tests of messages in slots send. `Words` stay objects, for the text in them. */
enum Told derives Struct, CanEqual:
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
