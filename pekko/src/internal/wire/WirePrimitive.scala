package undercroft.pekko
package internal.wire

/** The primitive types, with their sizes in bytes: little-endian, of fixed width. */
private[pekko] enum WirePrimitive(val size: Int) derives CanEqual:
  case Boolean extends WirePrimitive(1)
  case Byte extends WirePrimitive(1)
  case Short extends WirePrimitive(2)
  case Char extends WirePrimitive(2)
  case Int extends WirePrimitive(4)
  case Long extends WirePrimitive(8)
  case Float extends WirePrimitive(4)
  case Double extends WirePrimitive(8)

private[pekko] object WirePrimitive:

  /** Reads a narrower type as a wider one, which has each of its values exactly: the same pairs as
    * in struct files.
    */
  def widened(from: WirePrimitive, to: WirePrimitive): Option[WireReader[Any]] =
    (from, to) match
      case (Byte, Short)                       => Some(in => in.byte().toShort)
      case (Byte | Short | Char, Int)          => Some(in => integer(from, in))
      case (Byte | Short | Char | Int, Long)   => Some(in => integer(from, in).toLong)
      case (Byte | Short | Char, Float)        => Some(in => integer(from, in).toFloat)
      case (Byte | Short | Char | Int, Double) => Some(in => integer(from, in).toDouble)
      case (Float, Double)                     => Some(in => in.float().toDouble)
      case _                                   => None

  private def integer(kind: WirePrimitive, in: WireInput): scala.Int = kind match
    case Byte  => in.byte()
    case Short => in.short()
    case Char  => in.char()
    case _     => in.int()
end WirePrimitive
