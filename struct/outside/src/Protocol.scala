package outside.protocols

import undercroft.struct.*

/** Types that are members of a trait: each object of the trait has its own. */
trait Protocol:
  enum Side:
    case Buy, Sell

  enum Order derives Struct:
    case Limit(price: Int)
    case Market

  sealed trait Venue derives Struct
  case class Exchange(code: Int) extends Venue
  case object Dark extends Venue

  case class Bid(id: Int, side: Side) derives Struct
  case class Entry(n: Int, order: Order, venue: Venue) derives Struct
end Protocol

object First extends Protocol
