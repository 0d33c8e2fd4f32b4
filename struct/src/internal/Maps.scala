package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.{Allocator, Cage}
import undercroft.struct.*

/** Generates the access to maps and sets: a key as a word, or in the scratch slot, and its value in
  * its place, which is settled after it was read and before it is stored.
  */
@publicInBinary private[struct] object Maps:

  def make[K: Type, V: Type](expected: Expr[Long], allocator: Expr[Allocator])(using
      Quotes
  ): Expr[StructMap[K, V]] =
    val (key, value) = (size[K]("a StructMap's key"), size[V]("a StructMap's value"))
    '{
      new StructMap[K, V](
        HashTable.make(${ Expr(key) }, ${ Expr(value) }, $expected, $allocator)
      )
    }

  def makeSet[K: Type](expected: Expr[Long], allocator: Expr[Allocator])(using
      Quotes
  ): Expr[StructSet[K]] =
    val key = size[K]("a StructSet's key")
    '{
      new StructSet[K](
        HashTable.make(${ Expr(key) }, 0, $expected, $allocator)
      )
    }

  def apply[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using Quotes): Expr[V] =
    onValue(map, key): (table, place, key) =>
      '{ if $place < 0 then ${ missing[K](table, key) } else ${ value[K, V](table, place) } }

  def getOrElse[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      default: Expr[V]
  )(using Quotes): Expr[V] =
    onValue(map, key): (table, place, _) =>
      '{ if $place < 0 then $default else ${ value[K, V](table, place) } }

  def get[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Option[V]] =
    onValue(map, key): (table, place, _) =>
      '{ if $place < 0 then None else Some(${ value[K, V](table, place) }) }

  def contains[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] = isThere('{ $map.table }, key)

  def isIn[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    isThere('{ $set.table }, key)

  private def isThere[K: Type](table: Expr[HashTable], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] =
    withTable(table)(table =>
      MapKey.of(key)(key =>
        '{
          val place = ${ key.find(table) }
          $table.settle()
          place >= 0
        }
      )
    )

  def update[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      value: Expr[V]
  )(using Quotes): Expr[Unit] =
    val _ = size[V]("a StructMap's value")
    withTable('{ $map.table }): table =>
      MapKey.of(key): key =>
        Split.store(value): target =>
          '{
            val place = ${ key.put(table) }
            $table.settle()
            ${ onValue[K, Unit]('place)(place => target(place)) }
          }

  def updateOrElse[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      zero: Expr[V],
      f: Expr[V => V]
  )(using Quotes): Expr[Unit] =
    val _ = size[V]("a StructMap's value")
    withTable('{ $map.table }): table =>
      MapKey.of(key): key =>
        '{
          val found = ${ key.find(table) }
          val before = $table.changes
          val old: V = if found < 0 then $zero else ${ value[K, V](table, 'found) }
          ${
            Split.store(Expr.betaReduce('{ $f(old) })): target =>
              '{
                $table.admit()
                $table.checkUnchanged(before)
                val place = if found < 0 then ${ key.put(table) } else found
                $table.settle()
                ${ onValue[K, Unit]('place)(place => target(place)) }
              }
          }
        }
  end updateOrElse

  def remove[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] = takenOut('{ $map.table }, key)

  def takeOut[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    takenOut('{ $set.table }, key)

  private def takenOut[K: Type](table: Expr[HashTable], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] =
    withTable(table): table =>
      MapKey.of(key): key =>
        '{
          val place = ${ key.find(table) }
          if place >= 0 then $table.remove(place) else $table.settle()
          place >= 0
        }

  def add[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    withTable('{ $set.table }): table =>
      MapKey.of(key): key =>
        '{
          val before = $table.size
          val _ = ${ key.put(table) }
          $table.size != before
        }

  def foreach[K: Type, V: Type](map: Expr[StructMap[K, V]], f: Expr[(K, V) => Any])(using
      Quotes
  ): Expr[Unit] =
    val _ = size[V]("a StructMap's value")
    looping[K]('{ $map.table }): (table, place) =>
      Loop.literal(f): f =>
        '{
          val key: K = ${ MapKey.load[K](place) }
          val held: V = ${ value[K, V](table, place) }
          val _ = ${ Expr.betaReduce('{ $f(key, held) }) }
        }

  def each[K: Type](set: Expr[StructSet[K]], f: Expr[K => Any])(using Quotes): Expr[Unit] =
    looping[K]('{ $set.table }): (table, place) =>
      Loop.literal(f): f =>
        '{
          val key: K = ${ MapKey.load[K](place) }
          $table.settle()
          val _ = ${ Expr.betaReduce('{ $f(key) }) }
        }

  private def looping[K: Type](table: Expr[HashTable])(
      body: Quotes ?=> (Expr[HashTable], Expr[Long]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    val _ = size[K]("a map's key")
    '{
      def loop(): Unit = ${
        withTable(table): table =>
          '{
            val before = $table.changes
            var place = $table.next(-1)
            while place >= 0 do
              val here = place
              ${ body(table, 'here) }
              $table.admit()
              $table.checkUnchanged(before)
              place = $table.next(place)
          }
      }
      loop()
    }
  end looping

  /** Code over a map's table, whose errors name the region if they come from its having been
    * closed.
    */
  private def withTable[R: Type](table: Expr[HashTable])(
      body: Quotes ?=> Expr[HashTable] => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      val bound = $table
      try
        bound.admit()
        ${ body('bound) }
      catch case error: RuntimeException => throw bound.explained(error)
    }

  private def onValue[K: Type, V: Type, R: Type](map: Expr[StructMap[K, V]], key: Expr[K])(
      next: Quotes ?=> (Expr[HashTable], Expr[Long], MapKey) => Expr[R]
  )(using Quotes): Expr[R] =
    val _ = size[V]("a StructMap's value")
    withTable('{ $map.table }): table =>
      MapKey.of(key): key =>
        '{
          val place = ${ key.find(table) }
          if place < 0 then $table.settle()
          ${ next(table, 'place, key) }
        }

  /** The value of the entry at a place. */
  private def value[K: Type, V: Type](table: Expr[HashTable], place: Expr[Long])(using
      Quotes
  ): Expr[V] =
    '{
      val held: V = ${ onValue[K, V](place)(place => Code.load[V](place)) }
      $table.settle()
      held
    }

  private def onValue[K: Type, R: Type](place: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    val keyBytes = Expr(HashTable.keyBytes(Schema.shape[K].packedSize).toLong)
    '{
      val at = Cage.within($place + $keyBytes)
      ${ next(RowPlace('{ Cage.open }, 'at, packed = true)) }
    }

  private def missing[K: Type](table: Expr[HashTable], key: MapKey)(using Quotes): Expr[Nothing] =
    '{
      val place = ${ key.writeScratch(table) }
      $table.missing(${ MapKey.load[K]('place) })
    }

  /** The bytes of a type without padding; one that is not known or not a struct is an error. */
  private def size[A: Type](what: String)(using Quotes): Int =
    import quotes.reflect.*
    val tpe = TypeRepr.of[A].dealias
    if !Schema.isKnown[A] then
      report.errorAndAbort(
        s"$what has to be of a known type, a primitive or one with a Struct, not ${tpe.show}: " +
          "make the method around it inline, or add `derives Struct`"
      )
    if Schema.kind(tpe).isEmpty && Expr.summon[Struct[A]].isEmpty then
      report.errorAndAbort(s"$what is a ${tpe.show}, which has no Struct: add `derives Struct`")
    Schema.shape[A].packedSize
end Maps
