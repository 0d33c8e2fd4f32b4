package undercroft.struct.internal

import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.*

/** A key that was evaluated, to the code that looks for it: as a word, if it has up to 8 bytes of
  * primitives, else in the scratch slot.
  */
private[struct] final class MapKey private (
    size: Int,
    bits: Option[Quotes ?=> Expr[Long]],
    write: Quotes ?=> Place => Expr[Unit]
):
  /** The place of the key, or less than 0. */
  def find(table: Expr[HashTable])(using Quotes): Expr[Long] =
    if size <= 4 then '{ $table.findInt(${ word(table) }.toInt) }
    else if size <= 8 then '{ $table.findLong(${ word(table) }) }
    else
      '{
        val _ = ${ writeScratch(table) }
        $table.findScratch()
      }

  /** The place of the key, which is entered if it is new. */
  def put(table: Expr[HashTable])(using Quotes): Expr[Long] =
    if size <= 4 then '{ $table.putInt(${ word(table) }.toInt) }
    else if size <= 8 then '{ $table.putLong(${ word(table) }) }
    else
      '{
        val _ = ${ writeScratch(table) }
        $table.putScratch()
      }

  private def word(table: Expr[HashTable])(using Quotes): Expr[Long] =
    bits match
      case Some(bits) => bits
      case None       => '{ $table.word(${ writeScratch(table) }) }

  /** Writes the key in the scratch slot; the place of that. */
  def writeScratch(table: Expr[HashTable])(using Quotes): Expr[Long] =
    '{
      val place = $table.scratch()
      val at = Cage.within(place)
      ${ write(RowPlace('{ Cage.open }, 'at, packed = true)) }
      place
    }
end MapKey

private[struct] object MapKey:

  /** Evaluates a key and goes on. */
  def of[K: Type, R: Type](key: Expr[K])(next: Quotes ?=> MapKey => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    if !Schema.isKnown[K] then
      report.errorAndAbort(
        s"a map's key has to be of a known type, not ${TypeRepr.of[K].show}: " +
          "make the method around it inline"
      )
    val shape = Schema.shape[K]
    val leaves = shape.leaves
    leaves.find(_.kind.isFar).foreach: leaf =>
      report.errorAndAbort(
        s"a map's key is compared by its own bytes, and ${(shape.name :: leaf.path).mkString(".")} " +
          "refers to others: use a Text[N] or an Inline[Byte, N]"
      )
    if leaves.exists(_.shared) then
      '{
        val name: K = $key
        ${ next(MapKey(shape.packedSize, None, place => Split.store('name)(_(place)))) }
      }
    else
      val split = Split[quotes.type]()
      val parts = leaves.zip(split(TypeRepr.of[K].dealias, key.asTerm)).collect:
        case (leaf, Some(part)) => (leaf, part.value.asExpr)
      val isWord = shape.packedSize <= 8 && leaves.forall(l => !l.kind.isCompound)
      val made = MapKey(
        shape.packedSize,
        Option.when(isWord)(word(parts)),
        place => Expr.block(parts.map((leaf, value) => place.set(leaf, value)), '{ () })
      )
      val body = next(made).asTerm
      Block(split.statements, body).asExprOf[R]
  end of

  /** The bytes of a key, the first one lowest. */
  private def word(parts: List[(Leaf, Expr[Any])])(using Quotes): Expr[Long] =
    parts
      .map: (leaf, value) =>
        val bits = Bits.of(leaf.kind, value)
        if leaf.packed == 0 then bits else '{ $bits << ${ Expr(leaf.packed * 8) } }
      .reduce((a, b) => '{ $a | $b })

  /** The key of the entry at a place. */
  def load[K: Type](place: Expr[Long])(using Quotes): Expr[K] =
    '{
      val at = Cage.within($place)
      ${ Code.load[K](RowPlace('{ Cage.open }, 'at, packed = true)) }
    }
end MapKey
