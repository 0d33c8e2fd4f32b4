package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.*

/** Generates the atomic access to a field. */
@publicInBinary private[struct] object Atomics:

  def field[T: Type, L <: Layout: Type, A: Type](ref: Expr[Reference[T, L]], f: Expr[T => A])(using
      Quotes
  ): Expr[Any] =
    import quotes.reflect.*
    val layout = Single.required[T, L]("atomic")
    val leaf = Projection.leaf(f, "atomic")
    if layout == Tables.Known.Packed then
      report.errorAndAbort(
        "a packed field may lie across two words, so there is no atomic access to it: use Rows"
      )
    val address = '{ Cage.moved($ref._address, ${ Expr(leaf.aligned.toLong) }) }
    leaf.kind match
      case Kind.BigEndian(_) =>
        report.errorAndAbort(
          s"field `${leaf.path.mkString(".")}` is big-endian: atomic access is to an Int or a Long " +
            "in the machine's order",
          f
        )
      case Kind.Int if Schema.primitive(TypeRepr.of[A].widen).isDefined =>
        '{ new AtomicIntField($address) }
      case Kind.Long if Schema.primitive(TypeRepr.of[A].widen).isDefined =>
        '{ new AtomicLongField($address) }
      case _ =>
        report.errorAndAbort(
          s"field `${leaf.path.mkString(".")}` is of type ${TypeRepr.of[A].widen.show}: atomic " +
            "access is to an Int or a Long",
          f
        )
  end field
end Atomics
