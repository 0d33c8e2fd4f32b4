package undercroft.struct
package internal.macros.maps

import MapAccess.{settled, size, tableIn, tableOf, value, withTable}
import internal.entries.EntryView
import internal.hash.HashTable
import internal.macros.loops.Loop
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the loops over the entries of maps and sets, and their views. */
@publicInBinary private[struct] object MapLoops:

  def foreach[K: Type, V: Type](map: Expr[StructMap[K, V]], f: Expr[(K, V) => Any])(using
      Quotes
  ): Expr[Unit] = looped[K, (K, V) => Any, Any](tableOf(map), f)(entry(_, _, _, _))

  def each[K: Type](set: Expr[StructSet[K]], f: Expr[K => Any])(using Quotes): Expr[Unit] =
    looped[K, K => Any, Any](tableIn(set), f)(key(_, _, _, _))

  def count[K: Type, V: Type](map: Expr[StructMap[K, V]], p: Expr[(K, V) => Boolean])(using
      Quotes
  ): Expr[Long] = counted[K, (K, V) => Boolean](tableOf(map), p)(entry(_, _, _, _))

  def countKeys[K: Type](set: Expr[StructSet[K]], p: Expr[K => Boolean])(using
      Quotes
  ): Expr[Long] = counted[K, K => Boolean](tableIn(set), p)(key(_, _, _, _))

  def removeIf[K: Type, V: Type](map: Expr[StructMap[K, V]], p: Expr[(K, V) => Boolean])(using
      Quotes
  ): Expr[Long] = removed[K, (K, V) => Boolean](tableOf(map), p)(entry(_, _, _, _))

  def removeKeysIf[K: Type](set: Expr[StructSet[K]], p: Expr[K => Boolean])(using
      Quotes
  ): Expr[Long] = removed[K, K => Boolean](tableIn(set), p)(key(_, _, _, _))

  def iterator[K: Type, V: Type](map: Expr[StructMap[K, V]])(using
      Quotes
  ): Expr[Iterator[(K, V)]] =
    val _ = size[V]("a StructMap's value")
    val entries = view[K, (K, V)](tableOf(map)): (table, before, place) =>
      '{
        val key: K = ${ settled[K](table, before, MapKey.load[K](place)) }
        (key, ${ value[K, V](table, before, place) })
      }
    '{ $entries.iterator }

  def keys[K: Type, V: Type](map: Expr[StructMap[K, V]])(using Quotes): Expr[View[K]] =
    keys[K](tableOf(map))

  def values[K: Type, V: Type](map: Expr[StructMap[K, V]])(using Quotes): Expr[View[V]] =
    val _ = size[V]("a StructMap's value")
    view[K, V](tableOf(map))((table, before, place) => value[K, V](table, before, place))

  def keysOf[K: Type](set: Expr[StructSet[K]])(using Quotes): Expr[View[K]] =
    keys[K](tableIn(set))

  private def keys[K: Type](table: Expr[HashTable])(using Quotes): Expr[View[K]] =
    view[K, K](table)((table, before, place) =>
      settled[K](table, before, MapKey.load[K](place))
    )

  /** The result of a function on the entry at a place that was found after a sequence was taken. */
  private type Applied[F, R] =
    Quotes ?=> (Expr[HashTable], Expr[Long], Expr[Long], Expr[F]) => Expr[R]

  private def entry[K: Type, V: Type, R: Type](
      table: Expr[HashTable],
      before: Expr[Long],
      place: Expr[Long],
      f: Expr[(K, V) => R]
  )(using Quotes): Expr[R] =
    val _ = size[V]("a StructMap's value")
    '{
      val key: K = ${ settled[K](table, before, MapKey.load[K](place)) }
      val entryValue: V = ${ value[K, V](table, before, place) }
      ${ Expr.betaReduce('{ $f(key, entryValue) }) }
    }

  private def key[K: Type, R: Type](
      table: Expr[HashTable],
      before: Expr[Long],
      place: Expr[Long],
      f: Expr[K => R]
  )(using Quotes): Expr[R] =
    '{
      val key: K = ${ settled[K](table, before, MapKey.load[K](place)) }
      ${ Expr.betaReduce('{ $f(key) }) }
    }

  private def looped[K: Type, F: Type, R: Type](table: Expr[HashTable], f: Expr[F])(
      applied: Applied[F, R]
  )(using Quotes): Expr[Unit] =
    '{
      val entries = $table
      ${
        Loop.literal(f): f =>
          '{
            def loop(): Unit = ${
              all[K]('entries)((table, before, place) =>
                '{
                  val _ = ${ applied(table, before, place, f) }
                }
              )
            }
            loop()
          }
      }
    }

  private def counted[K: Type, P: Type](table: Expr[HashTable], p: Expr[P])(
      applied: Applied[P, Boolean]
  )(using Quotes): Expr[Long] =
    '{
      val entries = $table
      ${
        Loop.literal(p): p =>
          '{
            def loop(): Long =
              var matches = 0L
              ${
                all[K]('entries)((table, before, place) =>
                  '{ if ${ applied(table, before, place, p) } then matches += 1 }
                )
              }
              matches
            loop()
          }
      }
    }

  /** A loop over all entries. */
  private def all[K: Type](table: Expr[HashTable])(
      body: Quotes ?=> (Expr[HashTable], Expr[Long], Expr[Long]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    val _ = size[K]("a map's key")
    withTable(table): table =>
      '{
        var sequence = $table.read()
        val before = $table.changes
        var block = $table.nextBlock(-1)
        while block >= 0 do
          // Otherwise a block of slots that another thread has replaced meanwhile would be
          // followed by all memory up to the end of the new ones.
          $table.settle(sequence)
          var bits = $table.occupied(block)
          while bits != 0 do
            val here = $table.placeIn(block, bits)
            val entrySequence = sequence
            ${ body(table, 'entrySequence, 'here) }
            sequence = $table.read()
            $table.checkUnchanged(before)
            bits &= bits - 1
          block = $table.nextBlock(block)
        $table.settle(sequence)
      }
  end all

  /** Removes the entries that satisfy a condition; returns their number. Each removal is a change
    * of its own, so that no user code runs within one; it may replace the entry by one after it.
    */
  private def removed[K: Type, P: Type](table: Expr[HashTable], p: Expr[P])(
      applied: Applied[P, Boolean]
  )(using Quotes): Expr[Long] =
    val _ = size[K]("a map's key")
    '{
      val entries = $table
      ${
        Loop.literal(p): p =>
          '{
            def loop(): Long = ${
              withTable('entries): table =>
                '{
                  var removals = 0L
                  var sequence = $table.read()
                  var before = $table.changes
                  var place = $table.entryFrom(0)
                  while place >= 0 do
                    val here = place
                    val entrySequence = sequence
                    val isRemoved = ${ applied(table, 'entrySequence, 'here, p) }
                    $table.checkUnchanged(before)
                    if isRemoved then
                      $table.removeFound(here, entrySequence)
                      removals += 1
                      before = $table.changes
                    sequence = $table.read()
                    place = if isRemoved then $table.entryFrom(here) else $table.entryAfter(here)
                  $table.settle(sequence)
                  removals
                }
            }
            loop()
          }
      }
    }
  end removed

  private def view[K: Type, A: Type](table: Expr[HashTable])(
      load: Quotes ?=> (Expr[HashTable], Expr[Long], Expr[Long]) => Expr[A]
  )(using Quotes): Expr[View[A]] =
    val _ = size[K]("a map's key")
    '{
      val entries = $table
      new EntryView[A](
        entries,
        (sequence: Long, place: Long) => ${ load('entries, 'sequence, 'place) }
      )
    }
end MapLoops
