package undercroft.struct
package internal.macros.maps

import internal.entries.EntryView
import internal.macros.loops.Loop
import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.LayoutCheck
import internal.tree.TreeTable
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.memory.internal.cage.Cage
import undercroft.struct.*

/** Generates the access to ordered maps: by a key, by its neighbours, and in loops. */
@publicInBinary private[struct] object TreeAccess extends EntryAccess[StructTreeMap, TreeTable]:
  protected def mapName: String = "StructTreeMap"

  protected def keyOf[K: Type, R: Type](key: Expr[K])(
      next: Quotes ?=> EntryKey[K, TreeTable] => Expr[R]
  )(using Quotes): Expr[R] = TreeKey.of(key)(next)

  protected def atValue[K: Type, R: Type](table: Expr[TreeTable], place: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      val at = Cage.within($table.valueOf($place))
      ${ next(RowPlace('{ Cage.open }, 'at, packed = true)) }
    }

  def make[K: Type, V: Type](allocator: Expr[Allocator])(using
      Quotes
  ): Expr[StructTreeMap[K, V]] =
    val (key, value) = (TreeKey.bytes[K], size[V](s"a $mapName's value"))
    val (fingerprint, text) = LayoutCheck.constants[K, V]
    '{
      ${ admitted[K] }
      ${ admitted[V] }
      new StructTreeMap[K, V](
        TreeTable.make(${ Expr(key) }, ${ Expr(value) }, $allocator),
        $fingerprint,
        $text
      )
    }

  private[maps] def tableOf[K: Type, V: Type](map: Expr[StructTreeMap[K, V]])(using
      Quotes
  ): Expr[TreeTable] =
    val (fingerprint, text) = LayoutCheck.constants[K, V]
    '{ $map.tableOf($fingerprint, $text) }

  def firstKey[K: Type, V: Type](map: Expr[StructTreeMap[K, V]])(using Quotes): Expr[K] =
    edge(map)(table => '{ $table.firstEntry })

  def lastKey[K: Type, V: Type](map: Expr[StructTreeMap[K, V]])(using Quotes): Expr[K] =
    edge(map)(table => '{ $table.lastEntry })

  private def edge[K: Type, V: Type](map: Expr[StructTreeMap[K, V]])(
      find: Quotes ?=> Expr[TreeTable] => Expr[Long]
  )(using Quotes): Expr[K] =
    withTable(tableOf(map)): table =>
      '{
        val before = $table.read()
        val place = ${ find(table) }
        if place < 0 then
          $table.settle(before)
          $table.empty()
        else ${ key[K](table, 'before, 'place) }
      }

  def floorKey[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      key: Expr[K],
      default: Expr[K]
  )(using Quotes): Expr[K] =
    neighbour(map, key, default)((table, key) => '{ $table.floor(${ key.high }, ${ key.low }) })

  def lowerKey[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      key: Expr[K],
      default: Expr[K]
  )(using Quotes): Expr[K] =
    neighbour(map, key, default)((table, key) => '{ $table.lower(${ key.high }, ${ key.low }) })

  def ceilingKey[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      key: Expr[K],
      default: Expr[K]
  )(using Quotes): Expr[K] =
    neighbour(map, key, default)((table, key) => '{ $table.ceiling(${ key.high }, ${ key.low }) })

  def higherKey[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      key: Expr[K],
      default: Expr[K]
  )(using Quotes): Expr[K] =
    neighbour(map, key, default)((table, key) => '{ $table.higher(${ key.high }, ${ key.low }) })

  private def neighbour[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      of: Expr[K],
      default: Expr[K]
  )(find: Quotes ?=> (Expr[TreeTable], TreeKey[K]) => Expr[Long])(using Quotes): Expr[K] =
    withTable(tableOf(map)): table =>
      TreeKey.of(of): words =>
        '{
          val before = $table.read()
          val place = ${ find(table, words) }
          if place < 0 then
            $table.settle(before)
            $default
          else ${ key[K](table, 'before, 'place) }
        }

  /** The key of the entry at a place that was found after `before` was taken. */
  private def key[K: Type](table: Expr[TreeTable], before: Expr[Long], place: Expr[Long])(using
      Quotes
  ): Expr[K] = settled[K](table, before, TreeKey.load[K](table, place))

  def foreach[K: Type, V: Type](map: Expr[StructTreeMap[K, V]], f: Expr[(K, V) => Any])(using
      Quotes
  ): Expr[Unit] =
    looped(map, f): (table, f) =>
      loop(table, table => '{ $table.firstEntry }, (_, _) => Expr(true))((before, place) =>
        applied(table, before, place, f)
      )

  def foreachIn[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      from: Expr[K],
      until: Expr[K],
      f: Expr[(K, V) => Any]
  )(using Quotes): Expr[Unit] =
    looped(map, f): (table, f) =>
      TreeKey.of(from): from =>
        TreeKey.of(until): until =>
          loop(
            table,
            table => '{ $table.ceiling(${ from.high }, ${ from.low }) },
            (table, place) => '{ $table.isBelow($place, ${ until.high }, ${ until.low }) }
          )((before, place) => applied(table, before, place, f))

  private def looped[K: Type, V: Type](
      map: Expr[StructTreeMap[K, V]],
      f: Expr[(K, V) => Any]
  )(
      body: Quotes ?=> (Expr[TreeTable], Expr[(K, V) => Any]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      val entries = ${ tableOf(map) }
      ${
        Loop.literal(f): f =>
          '{
            def loop(): Unit = ${ withTable('entries)(table => body(table, f)) }
            loop()
          }
      }
    }

  /** A loop over the entries from a place on, as long as a condition holds. */
  private def loop(
      table: Expr[TreeTable],
      first: Quotes ?=> Expr[TreeTable] => Expr[Long],
      isWithin: Quotes ?=> (Expr[TreeTable], Expr[Long]) => Expr[Boolean]
  )(body: Quotes ?=> (Expr[Long], Expr[Long]) => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      var sequence = $table.read()
      val before = $table.changes
      var place = ${ first(table) }
      while
        val here = place
        here >= 0 && ${ isWithin(table, 'here) }
      do
        val here = place
        val entrySequence = sequence
        ${ body('entrySequence, 'here) }
        sequence = $table.read()
        $table.checkUnchanged(before)
        place = $table.entryAfter(here)
      $table.settle(sequence)
    }

  private def applied[K: Type, V: Type](
      table: Expr[TreeTable],
      before: Expr[Long],
      place: Expr[Long],
      f: Expr[(K, V) => Any]
  )(using Quotes): Expr[Unit] =
    '{
      val entryKey: K = ${ key[K](table, before, place) }
      val entryValue: V = ${ value[K, V](table, before, place) }
      val _ = ${ Expr.betaReduce('{ $f(entryKey, entryValue) }) }
    }

  def iterator[K: Type, V: Type](map: Expr[StructTreeMap[K, V]])(using
      Quotes
  ): Expr[Iterator[(K, V)]] =
    '{
      val entries = ${ tableOf(map) }
      new EntryView[(K, V)](
        entries,
        (sequence: Long, place: Long) =>
          val entryKey: K = ${ key[K]('entries, 'sequence, 'place) }
          (entryKey, ${ value[K, V]('entries, 'sequence, 'place) })
      ).iterator
    }
end TreeAccess
