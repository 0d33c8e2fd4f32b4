package undercroft.struct
package internal.macros.maps

import internal.macros.loops.SortMacros
import internal.macros.places.{Bound, Place}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{StructConstruction, ValueSplitter}
import internal.sort.SortKey
import internal.tree.TreeTable
import scala.quoted.*
import undercroft.struct.*

/** An evaluated key of an ordered map: one or two words, which are in the order of the keys as
  * signed numbers, the first word first.
  */
private[struct] final class TreeKey[K: Type] private (val high: Expr[Long], val low: Expr[Long])
    extends EntryKey[K, TreeTable]:
  def find(table: Expr[TreeTable])(using Quotes): Expr[Long] = '{ $table.find($high, $low) }
  def put(table: Expr[TreeTable])(using Quotes): Expr[Long] = '{ $table.put($high, $low) }
  def add(table: Expr[TreeTable], place: Expr[Long], before: Expr[Long])(using
      Quotes
  ): Expr[Long] = '{ $table.add($place, $high, $low) }
  def value(table: Expr[TreeTable])(using Quotes): Expr[K] =
    StructConstruction.load[K](TreeKey.Words(high, low))
end TreeKey

private[struct] object TreeKey:
  /** The largest key, in bytes. */
  private val MaxBytes = 16

  /** The leaves of a key type; a type that has no order, or too many bytes, is an error. */
  private def leaves[K: Type](using Quotes): List[Shape.Leaf] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[K].dealias
    if !ShapeDerivation.isKnown[K] then
      report.errorAndAbort(
        s"a StructTreeMap's key must be of a known type, not ${ShapeDerivation.named(tpe)}: " +
          ShapeDerivation.unknownCure[K]
      )
    val shape = ShapeDerivation.shape[K]
    if shape.leaves.exists(leaf => leaf.shared || !isOrdered(leaf.kind)) then
      report.errorAndAbort(
        "a StructTreeMap's key must be a primitive, a type that is stored as one, or a struct of " +
          s"these, not ${ShapeDerivation.named(tpe)}: a StructMap admits it, without an order"
      )
    if shape.packedSize > MaxBytes then
      report.errorAndAbort(
        s"a StructTreeMap's key has at most $MaxBytes bytes, and ${ShapeDerivation.named(tpe)} has " +
          s"${shape.packedSize}: a StructMap admits it, without an order"
      )
    shape.leaves
  end leaves

  private def isOrdered(kind: Shape.Kind): Boolean = kind match
    case Shape.Kind.Ordinal(_) => true
    case other                 => !other.isCompound

  /** The bytes of a stored key. */
  def bytes[K: Type](using Quotes): Int =
    val all = leaves[K]
    if all.map(_.kind.size).sum <= 8 then 8 else 16

  /** Evaluates a key and continues with it: see [[EntryAccess]]. */
  def of[K: Type, R: Type](key: Expr[K])(next: Quotes ?=> TreeKey[K] => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    val parts = leaves[K]
    val split = ValueSplitter[quotes.type]()
    val values = split(TypeRepr.of[K].dealias, key.asTerm)
    val pieces = parts.zip(values).map: (leaf, value) =>
      val isUnsigned = leaf.kind match
        case Shape.Kind.Ordinal(_) => true
        case _                     => false
      (leaf, value.fold(zero(leaf.kind))(part => SortMacros.word(part.value.asExpr, isUnsigned)))
    def word(start: Int): Expr[Long] =
      val shifted = pieces.flatMap((leaf, word) => shiftedIn(leaf, word, start))
      shifted.reduceOption((a, b) => '{ $a | $b }).fold(Expr(0L))(word =>
        '{ $word ^ Long.MinValue }
      )
    val body = Bound.all(List(word(0).asTerm, word(8).asTerm)): names =>
      val List(high, low) = names.map(_.asExprOf[Long]): @unchecked
      next(TreeKey[K](high, low)).asTerm
    Block(split.statements, body).asExprOf[R]
  end of

  /** The word of a leaf without a value, such as that of None. */
  private def zero(kind: Shape.Kind)(using Quotes): Expr[Long] = kind match
    case Shape.Kind.Boolean | Shape.Kind.Char | Shape.Kind.Ordinal(_) => Expr(0L)
    case _                                                            => Expr(Long.MinValue)

  /** The part of a leaf's word in the key's word from byte `start` on, if it has one. */
  private def shiftedIn(leaf: Shape.Leaf, word: Expr[Long], start: Int)(using
      Quotes
  ): Option[Expr[Long]] =
    val bits = (leaf.packed - start) * 8
    if bits >= 64 || bits + leaf.kind.size * 8 <= 0 then None
    else if bits == 0 then Some(word)
    else if bits > 0 then Some('{ $word >>> ${ Expr(bits) } })
    else Some('{ $word << ${ Expr(-bits) } })

  /** The key of the entry at a place. */
  def load[K: Type](table: Expr[TreeTable], place: Expr[Long])(using Quotes): Expr[K] =
    '{
      val high = $table.high($place)
      val low = $table.low($place)
      ${ StructConstruction.load[K](Words('high, 'low)) }
    }

  /** The leaves of a key in its words. */
  private final class Words(high: Expr[Long], low: Expr[Long]) extends Place:
    def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
      val start = leaf.packed * 8
      val word =
        if start >= 64 then shifted(ordered(low), start - 64)
        else if start + leaf.kind.size * 8 <= 64 then shifted(ordered(high), start)
        else '{ ${ shifted(ordered(high), start) } | ${ ordered(low) } >>> ${ Expr(64 - start) } }
      leaf.kind match
        case Shape.Kind.Boolean                   => '{ SortKey.boolean($word) }
        case Shape.Kind.Byte                      => '{ SortKey.byte($word) }
        case Shape.Kind.Short                     => '{ SortKey.short($word) }
        case Shape.Kind.Char                      => '{ SortKey.char($word) }
        case Shape.Kind.Int                       => '{ SortKey.int($word) }
        case Shape.Kind.Long                      => '{ SortKey.long($word) }
        case Shape.Kind.Float                     => '{ SortKey.float($word) }
        case Shape.Kind.Double                    => '{ SortKey.double($word) }
        case Shape.Kind.Ordinal(Shape.Kind.Byte)  => '{ ($word >>> 56).toByte }
        case Shape.Kind.Ordinal(Shape.Kind.Short) => '{ ($word >>> 48).toShort }
        case other => throw IllegalArgumentException(s"$other cannot be a part of a key")

    def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      throw IllegalStateException("a key is stored as its words")

    private def ordered(word: Expr[Long])(using Quotes) = '{ $word ^ Long.MinValue }

    private def shifted(word: Expr[Long], bits: Int)(using Quotes) =
      if bits == 0 then word else '{ $word << ${ Expr(bits) } }
  end Words
end TreeKey
