package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.{Kind, Leaf}

/** Where the leaves of one struct are, to generated code. */
private[struct] trait Place:
  def get(leaf: Leaf)(using Quotes): Expr[Any]
  def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit]

private[struct] object Place:

  /** Leaves in segments: each leaf's segment and its offset there. */
  final class InSegment(
      segment: Leaf => Quotes ?=> Expr[MemorySegment],
      offset: Leaf => Quotes ?=> Expr[Long]
  ) extends Place:
    def get(leaf: Leaf)(using Quotes): Expr[Any] =
      val (from, at) = (segment(leaf), offset(leaf))
      leaf.kind match
        case Kind.Boolean => '{ $from.get(Unaligned.byte, $at) != 0 }
        case Kind.Byte    => '{ $from.get(Unaligned.byte, $at) }
        case Kind.Short   => '{ $from.get(Unaligned.short, $at) }
        case Kind.Char    => '{ $from.get(Unaligned.char, $at) }
        case Kind.Int     => '{ $from.get(Unaligned.int, $at) }
        case Kind.Long    => '{ $from.get(Unaligned.long, $at) }
        case Kind.Float   => '{ $from.get(Unaligned.float, $at) }
        case Kind.Double  => '{ $from.get(Unaligned.double, $at) }

    def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      val (to, at) = (segment(leaf), offset(leaf))
      leaf.kind match
        case Kind.Boolean =>
          '{ $to.set(Unaligned.byte, $at, if ${ value.asExprOf[Boolean] } then 1.toByte else 0.toByte) }
        case Kind.Byte   => '{ $to.set(Unaligned.byte, $at, ${ value.asExprOf[Byte] }) }
        case Kind.Short  => '{ $to.set(Unaligned.short, $at, ${ value.asExprOf[Short] }) }
        case Kind.Char   => '{ $to.set(Unaligned.char, $at, ${ value.asExprOf[Char] }) }
        case Kind.Int    => '{ $to.set(Unaligned.int, $at, ${ value.asExprOf[Int] }) }
        case Kind.Long   => '{ $to.set(Unaligned.long, $at, ${ value.asExprOf[Long] }) }
        case Kind.Float  => '{ $to.set(Unaligned.float, $at, ${ value.asExprOf[Float] }) }
        case Kind.Double => '{ $to.set(Unaligned.double, $at, ${ value.asExprOf[Double] }) }
  end InSegment

  /** Aligned or packed leaves of the struct at `base`. */
  def row(segment: Expr[MemorySegment], base: Expr[Long], packed: Boolean): Place =
    InSegment(
      _ => segment,
      leaf =>
        val within = if packed then leaf.packed else leaf.aligned
        if within == 0 then base else '{ $base + ${ Expr(within.toLong) } }
    )

  /** Leaves in the columns of one segment that has room for `capacity` rows. */
  def columns(segment: Expr[MemorySegment], capacity: Expr[Long], row: Expr[Long]): Place =
    InSegment(
      _ => segment,
      leaf =>
        val within = '{ $row * ${ Expr(leaf.kind.size.toLong) } }
        if leaf.column == 0 then within
        else '{ $capacity * ${ Expr(leaf.column.toLong) } + $within }
    )
end Place
