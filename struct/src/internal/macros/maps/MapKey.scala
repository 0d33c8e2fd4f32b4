package undercroft.struct
package internal.macros.maps

import internal.bytes.TextBytes
import internal.hash.HashTable
import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{StructConstruction, ValueSplitter}
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.*

/** An evaluated key in the code of a lookup: one or two words, if it has up to 16 bytes of
  * primitives and texts, or else bytes in the scratch slot, which a run-time function writes if the
  * key is a `text`.
  */
private[struct] final class MapKey[K: Type] private (
    size: Int,
    words: List[Expr[Long]],
    write: Quotes ?=> Place => Expr[Unit],
    text: Option[MapKey.Content] = None
) extends EntryKey[K, HashTable]:
  override def prepared(table: Expr[HashTable])(using Quotes): Option[Expr[Unit]] =
    Option.when(words.isEmpty)('{ $table.prepare() })

  def find(table: Expr[HashTable])(using Quotes): Expr[Long] = wordsOf(table) match
    case List(word) if size <= 4 => '{ $table.findInt($word.toInt) }
    case List(word)              => '{ $table.findLong($word) }
    case List(low, high)         => '{ $table.findLongs($low, $high) }
    case _ if text.isDefined =>
      val limit = Expr(size)
      text.get match
        case MapKey.Content.Chars(string) => '{ $table.findText($string, $limit) }
        case MapKey.Content.Bytes(segment, from, until) =>
          '{ $table.findText($segment, $from, $until, $limit) }
    case _ =>
      '{
        val scratch = ${ writeScratch(table) }
        $table.findScratch(scratch)
      }

  def put(table: Expr[HashTable])(using Quotes): Expr[Long] = wordsOf(table) match
    case List(word) if size <= 4 => '{ $table.putInt($word.toInt) }
    case List(word)              => '{ $table.putLong($word) }
    case List(low, high)         => '{ $table.putLongs($low, $high) }
    case _ if text.isDefined =>
      val limit = Expr(size)
      text.get match
        case MapKey.Content.Chars(string) => '{ $table.putText($string, $limit) }
        case MapKey.Content.Bytes(segment, from, until) =>
          '{ $table.putText($segment, $from, $until, $limit) }
    case _ =>
      '{
        val scratch = ${ writeScratch(table) }
        $table.putScratch(scratch)
      }

  /** The bytes of a key without words may have changed since the search, which is repeated; bytes
    * that are equal to a present key by now are rejected.
    */
  def add(table: Expr[HashTable], place: Expr[Long], before: Expr[Long])(using
      Quotes
  ): Expr[Long] = words match
    case List(word) if size <= 4 => '{ $table.addInt($place, $word.toInt) }
    case List(word)              => '{ $table.addLong($place, $word) }
    case List(low, high)         => '{ $table.addLongs($place, $low, $high) }
    case _ =>
      '{
        val added = ${ put(table) }
        $table.checkAdded($before)
        added
      }

  /** Code that loads the entry's place ahead of a search, for a key without texts. */
  def touch(table: Expr[HashTable])(using Quotes): Expr[Unit] = words match
    case List(word) if size <= 4 => '{ $table.touch($word & 0xffffffffL) }
    case List(word)              => '{ $table.touch($word) }
    case List(low, high)         => '{ $table.touch($low, $high) }
    case _ =>
      '{
        val scratch = ${ writeScratch(table) }
        $table.touchScratch(scratch)
      }

  private def wordsOf(table: Expr[HashTable])(using Quotes): List[Expr[Long]] =
    if words.isEmpty && size <= 8 then List('{ $table.word(${ writeScratch(table) }) }) else words

  def value(table: Expr[HashTable])(using Quotes): Expr[K] =
    '{
      val place = ${ writeScratch(table) }
      ${ MapKey.load[K]('place) }
    }

  /** Writes the key in the scratch slot; returns the place of that slot. */
  private def writeScratch(table: Expr[HashTable])(using Quotes): Expr[Long] =
    '{
      val place = $table.scratch()
      val at = Cage.within(place)
      ${ write(RowPlace('{ Cage.open }, 'at, packed = true)) }
      place
    }
end MapKey

private[struct] object MapKey:

  /** A text that is the only part of a key: a String, or bytes of a segment. */
  enum Content:
    case Chars(string: Expr[String])
    case Bytes(segment: Expr[MemorySegment], from: Expr[Long], until: Expr[Long])

  /** Evaluates a key and continues with it: see [[EntryAccess]]. */
  def of[K: Type, R: Type](key: Expr[K])(next: Quotes ?=> MapKey[K] => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    if !ShapeDerivation.isKnown[K] then
      report.errorAndAbort(
        s"a map's key must be of a known type, not ${ShapeDerivation.named(TypeRepr.of[K].dealias)}: " +
          ShapeDerivation.unknownCure[K]
      )
    checkOwnBytes[K]
    ShapeDerivation.text(TypeRepr.of[K].dealias) match
      case Some(bytes) =>
        val leaf = ShapeDerivation.shape[K].leaves.head
        StructConstruction.textBytes(key.asTerm) match
          case Some((segment, from, until)) =>
            '{
              val source = $segment
              val begin = $from
              val end = $until
              ${
                val limit = Expr(bytes)
                val content = Content.Bytes('source, 'begin, 'end)
                def write(place: Place)(using Quotes) =
                  place.set(leaf, '{ TextBytes.string(source, begin, end, $limit) })
                if bytes > KeyWord.MaxBytes then
                  next(MapKey[K](bytes, Nil, write(_), Some(content)))
                else
                  KeyWord.ofBytes(bytes, 'source, 'begin, 'end)(words =>
                    next(MapKey[K](bytes, words, write(_)))
                  )
              }
            }
          case None =>
            val argument = StructConstruction.uncheckedText(key.asTerm)
            '{
              val text = $argument
              ${
                def write(place: Place)(using Quotes) = place.set(leaf, 'text)
                if bytes > KeyWord.MaxBytes then
                  next(MapKey[K](bytes, Nil, write(_), Some(Content.Chars('text))))
                else
                  KeyWord.ofText(leaf, bytes, 'text)(words =>
                    next(MapKey[K](bytes, words, write(_)))
                  )
              }
            }
        end match
      case None => ofParts(key)(next)
    end match
  end of

  /** As `of`, for a key whose parts are evaluated one after another. */
  private def ofParts[K: Type, R: Type](key: Expr[K])(next: Quotes ?=> MapKey[K] => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    val shape = ShapeDerivation.shape[K]
    val size = shape.packedSize
    val leaves = shape.leaves
    val split = ValueSplitter[quotes.type]()
    val stores = split.stores(leaves, split(TypeRepr.of[K].dealias, key.asTerm))
    def keyOf(words: List[Expr[Long]]) =
      MapKey[K](
        size,
        words,
        place => Expr.block(ValueSplitter.code(stores, place, fresh = false), '{ () })
      )
    val isWords = size <= KeyWord.MaxBytes &&
      leaves.forall(leaf => !leaf.shared && KeyWord.admits(leaf.kind))
    val body =
      if isWords then
        val parts = stores.map(store => (store.leaf, store.value))
        KeyWord.bound(size, parts)(words => next(keyOf(words)))
      else next(keyOf(Nil))
    Block(split.statements, body.asTerm).asExprOf[R]
  end ofParts

  /** Reports an error if a key refers to out-of-line bytes. */
  def checkOwnBytes[K: Type](using Quotes): Unit =
    val shape = ShapeDerivation.shape[K]
    shape.leaves.find(_.kind.isOutOfLine).foreach: leaf =>
      quotes.reflect.report.errorAndAbort(
        s"a map's key is compared by its own bytes, and ${(shape.name :: leaf.path).mkString(".")} " +
          "refers to others: use a Text[N] or an InlineArray[Byte, N]"
      )

  /** The key of the entry at a place. */
  def load[K: Type](place: Expr[Long])(using Quotes): Expr[K] =
    '{
      val at = Cage.within($place)
      ${ StructConstruction.load[K](RowPlace('{ Cage.open }, 'at, packed = true)) }
    }
end MapKey
