package undercroft.struct
package internal.macros.maps

import internal.hash.HashTable
import internal.macros.places.{Bits, Place, RowPlace}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{StructConstruction, ValueSplitter}
import undercroft.memory.internal.cage.Cage
import scala.quoted.*
import undercroft.struct.*

/** An evaluated key in the code of a lookup: a word, if it has up to 8 bytes of primitives, or else
  * bytes in the scratch slot.
  */
private[struct] final class MapKey private (
    size: Int,
    bits: Option[Quotes ?=> Expr[Long]],
    write: Quotes ?=> Place => Expr[Unit]
):
  /** The place of the key, or less than 0 if absent. */
  def find(table: Expr[HashTable])(using Quotes): Expr[Long] =
    if size <= 4 then '{ $table.findInt(${ word(table) }.toInt) }
    else if size <= 8 then '{ $table.findLong(${ word(table) }) }
    else
      '{
        val scratch = ${ writeScratch(table) }
        $table.findScratch(scratch)
      }

  /** The place of the key, which is added if absent. */
  def put(table: Expr[HashTable])(using Quotes): Expr[Long] =
    if size <= 4 then '{ $table.putInt(${ word(table) }.toInt) }
    else if size <= 8 then '{ $table.putLong(${ word(table) }) }
    else
      '{
        val scratch = ${ writeScratch(table) }
        $table.putScratch(scratch)
      }

  private def word(table: Expr[HashTable])(using Quotes): Expr[Long] =
    bits match
      case Some(bits) => bits
      case None       => '{ $table.word(${ writeScratch(table) }) }

  /** Writes the key in the scratch slot; returns the place of that slot. */
  def writeScratch(table: Expr[HashTable])(using Quotes): Expr[Long] =
    '{
      val place = $table.scratch()
      val at = Cage.within(place)
      ${ write(RowPlace('{ Cage.open }, 'at, packed = true)) }
      place
    }
end MapKey

private[struct] object MapKey:

  /** Evaluates a key and continues with it. */
  def of[K: Type, R: Type](key: Expr[K])(next: Quotes ?=> MapKey => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    if !ShapeDerivation.isKnown[K] then
      report.errorAndAbort(
        s"a map's key must be of a known type, not ${TypeRepr.of[K].show}: " +
          ShapeDerivation.unknownCure[K]
      )
    checkOwnBytes[K]
    val shape = ShapeDerivation.shape[K]
    val leaves = shape.leaves
    if leaves.exists(_.shared) then
      '{
        val name: K = $key
        ${ next(MapKey(shape.packedSize, None, place => ValueSplitter.store('name)(_(place)))) }
      }
    else
      val split = ValueSplitter[quotes.type]()
      val parts = leaves.zip(split(TypeRepr.of[K].dealias, key.asTerm)).collect:
        case (leaf, Some(part)) => (leaf, part.value.asExpr)
      val isWord = shape.packedSize <= 8 && leaves.forall(l => !l.kind.isCompound)
      val mapKey = MapKey(
        shape.packedSize,
        Option.when(isWord)(word(parts)),
        place => Expr.block(parts.map((leaf, value) => place.set(leaf, value)), '{ () })
      )
      val body = next(mapKey).asTerm
      Block(split.statements, body).asExprOf[R]
  end of

  /** Reports an error if a key refers to out-of-line bytes. */
  def checkOwnBytes[K: Type](using Quotes): Unit =
    val shape = ShapeDerivation.shape[K]
    shape.leaves.find(_.kind.isOutOfLine).foreach: leaf =>
      quotes.reflect.report.errorAndAbort(
        s"a map's key is compared by its own bytes, and ${(shape.name :: leaf.path).mkString(".")} " +
          "refers to others: use a Text[N] or an InlineArray[Byte, N]"
      )

  /** The bytes of a key as a little-endian word. */
  private def word(parts: List[(Shape.Leaf, Expr[Any])])(using Quotes): Expr[Long] =
    parts
      .map: (leaf, value) =>
        val bits = Bits.of(leaf.kind, value)
        if leaf.packed == 0 then bits else '{ $bits << ${ Expr(leaf.packed * 8) } }
      .reduce((a, b) => '{ $a | $b })

  /** The key of the entry at a place. */
  def load[K: Type](place: Expr[Long])(using Quotes): Expr[K] =
    '{
      val at = Cage.within($place)
      ${ StructConstruction.load[K](RowPlace('{ Cage.open }, 'at, packed = true)) }
    }
end MapKey
