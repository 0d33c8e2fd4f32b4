package undercroft.struct
package internal.macros.maps

import internal.hash.HashTable
import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.{LayoutCheck, ShapeDerivation}
import internal.macros.terms.Repeatable
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the access to hash maps and sets by a key: the key as a word, or in the scratch slot,
  * and its value in place.
  */
@publicInBinary private[struct] object MapAccess extends EntryAccess[StructMap, HashTable]:
  protected def mapName: String = "StructMap"

  def make[K: Type, V: Type](expected: Expr[Long], allocator: Expr[Allocator])(using
      Quotes
  ): Expr[StructMap[K, V]] =
    val (key, value) = (size[K]("a StructMap's key"), size[V]("a StructMap's value"))
    val (fingerprint, text) = LayoutCheck.constants[K, V]
    MapKey.checkOwnBytes[K]
    '{
      ${ admitted[K] }
      ${ admitted[V] }
      new StructMap[K, V](
        HashTable.make(${ Expr(key) }, ${ Expr(value) }, $expected, $allocator),
        $fingerprint,
        $text
      )
    }

  def makeSet[K: Type](expected: Expr[Long], allocator: Expr[Allocator])(using
      Quotes
  ): Expr[StructSet[K]] =
    val key = size[K]("a StructSet's key")
    val (fingerprint, text) = LayoutCheck.constants[K]
    MapKey.checkOwnBytes[K]
    '{
      ${ admitted[K] }
      new StructSet[K](
        HashTable.make(${ Expr(key) }, 0, $expected, $allocator),
        $fingerprint,
        $text
      )
    }

  private[maps] def tableOf[K: Type, V: Type](map: Expr[StructMap[K, V]])(using
      Quotes
  ): Expr[HashTable] =
    val (fingerprint, text) = LayoutCheck.constants[K, V]
    '{ $map.tableOf($fingerprint, $text) }

  private[maps] def tableIn[K: Type](set: Expr[StructSet[K]])(using Quotes): Expr[HashTable] =
    val (fingerprint, text) = LayoutCheck.constants[K]
    '{ $set.tableOf($fingerprint, $text) }

  protected def keyOf[K: Type, R: Type](key: Expr[K])(
      next: Quotes ?=> EntryKey[K, HashTable] => Expr[R]
  )(using Quotes): Expr[R] = MapKey.of(key)(next)

  protected def atValue[K: Type, R: Type](table: Expr[HashTable], place: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    val keyBytes = Expr(HashTable.keyBytes(ShapeDerivation.shape[K].packedSize).toLong)
    '{
      val at = Cage.within($place) + $keyBytes
      ${ next(RowPlace('{ Cage.open }, 'at, packed = true)) }
    }

  /** Whether the entries of keys that `key` selects can be loaded ahead of their searches, because
    * the keys can be evaluated twice, and are not texts, which would be loaded twice.
    */
  def isTouched[K: Type](key: Expr[Nothing => K])(using Quotes): Boolean =
    ShapeDerivation.shape[K].leaves.forall(leaf => !leaf.shared && !leaf.kind.isCompound) &&
      Repeatable(key)

  /** Code that loads the place of a key's entry. */
  def touch[K: Type](table: Expr[HashTable], key: Expr[K])(using Quotes): Expr[Unit] =
    MapKey.of(key)(_.touch(table))

  def isIn[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    isPresent(tableIn(set), key)

  def takeOut[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    removed(tableIn(set), key)

  def add[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    withTable(tableIn(set)): table =>
      keyOf(key): key =>
        writing(table, key):
          '{
            val before = $table.size
            val _ = ${ key.put(table) }
            $table.size != before
          }
end MapAccess
