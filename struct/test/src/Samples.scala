package undercroft.struct

case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

case class Point(x: Short, y: Double) derives Struct, CanEqual
case class Line(open: Boolean, from: Point, to: Point, width: Byte) derives Struct, CanEqual
