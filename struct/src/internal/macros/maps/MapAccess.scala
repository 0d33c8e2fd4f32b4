package undercroft.struct
package internal.macros.maps

import internal.macros.schema.LayoutCheck
import internal.hash.HashTable
import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import internal.macros.terms.{StructConstruction, ValueSplitter}
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the access to maps and sets by a key: the key as a word, or in the scratch slot, and
  * its value in place. A read is followed by `settle`. A change is between `write` and `written`,
  * and no user code runs in between.
  */
@publicInBinary private[struct] object MapAccess:

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

  /** A statement that rejects the Struct of a type if its layout differs from the layout in this
    * code.
    */
  private def admitted[A: Type](using Quotes): Expr[Unit] =
    LayoutCheck.inScope[A] match
      case Some(struct) => '{ val _ = ${ LayoutCheck.checked(struct) } }
      case None         => '{ () }

  /** The table of a map, after a check that it has the layouts that this code was compiled for. */
  private[maps] def tableOf[K: Type, V: Type](map: Expr[StructMap[K, V]])(using
      Quotes
  ): Expr[HashTable] =
    val (fingerprint, text) = LayoutCheck.constants[K, V]
    '{ $map.tableOf($fingerprint, $text) }

  private[maps] def tableIn[K: Type](set: Expr[StructSet[K]])(using Quotes): Expr[HashTable] =
    val (fingerprint, text) = LayoutCheck.constants[K]
    '{ $set.tableOf($fingerprint, $text) }

  def apply[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using Quotes): Expr[V] =
    onValue(map, key): (table, before, place, key) =>
      '{
        if $place < 0 then ${ missing[K](table, key) } else ${ value[K, V](table, before, place) }
      }

  def getOrElse[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      default: Expr[V]
  )(using Quotes): Expr[V] =
    onValue(map, key): (table, before, place, _) =>
      '{ if $place < 0 then $default else ${ value[K, V](table, before, place) } }

  def get[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Option[V]] =
    onValue(map, key): (table, before, place, _) =>
      '{ if $place < 0 then None else Some(${ value[K, V](table, before, place) }) }

  def contains[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] = isThere(tableOf(map), key)

  def isIn[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    isThere(tableIn(set), key)

  private def isThere[K: Type](table: Expr[HashTable], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] =
    withTable(table)(table =>
      MapKey.of(key)(key =>
        '{
          val before = $table.read()
          val place = ${ key.find(table) }
          $table.settle(before)
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
    withTable(tableOf(map)): table =>
      MapKey.of(key): key =>
        ValueSplitter.store(value): target =>
          writing(table, key):
            '{
              val place = ${ key.put(table) }
              ${ onValue[K, Unit]('place)(place => target(place)) }
            }

  def updateOrElse[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      zero: Expr[V],
      f: Expr[V => V]
  )(using Quotes): Expr[Unit] =
    val _ = size[V]("a StructMap's value")
    withTable(tableOf(map)): table =>
      MapKey.of(key): key =>
        '{
          val sequence = $table.read()
          val oldPlace = ${ key.find(table) }
          val before = $table.changes
          if oldPlace < 0 then $table.settle(sequence)
          val old: V = if oldPlace < 0 then $zero else ${ value[K, V](table, 'sequence, 'oldPlace) }
          ${
            ValueSplitter.store(Expr.betaReduce('{ $f(old) })): target =>
              writing(table, key, Some('sequence)):
                '{
                  $table.checkUnchanged(before)
                  val place = if oldPlace < 0 then ${ key.putNew(table, 'before) } else oldPlace
                  ${ onValue[K, Unit]('place)(place => target(place)) }
                }
          }
        }
  end updateOrElse

  def getOrElseUpdate[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      default: Expr[V]
  )(using Quotes): Expr[V] =
    onAbsent(map, key)((table, sequence, place) => value[K, V](table, sequence, place)): add =>
      '{
        val added: V = $default
        ${ add('added) }
        added
      }

  def putIfAbsent[K: Type, V: Type](
      map: Expr[StructMap[K, V]],
      key: Expr[K],
      value: Expr[V]
  )(using Quotes): Expr[Boolean] =
    onAbsent(map, key)((table, sequence, _) =>
      '{
        $table.settle($sequence)
        false
      }
    ): add =>
      '{
        ${ add(value) }
        true
      }

  /** Code for a key that is present, or code that may add it with a value. */
  private def onAbsent[K: Type, V: Type, R: Type](map: Expr[StructMap[K, V]], key: Expr[K])(
      present: Quotes ?=> (Expr[HashTable], Expr[Long], Expr[Long]) => Expr[R]
  )(absent: Quotes ?=> (Quotes ?=> Expr[V] => Expr[Unit]) => Expr[R])(using Quotes): Expr[R] =
    val _ = size[V]("a StructMap's value")
    withTable(tableOf(map)): table =>
      MapKey.of(key): key =>
        '{
          val sequence = $table.read()
          val oldPlace = ${ key.find(table) }
          if oldPlace >= 0 then ${ present(table, 'sequence, 'oldPlace) }
          else
            val before = $table.changes
            $table.settle(sequence)
            ${
              absent: value =>
                ValueSplitter.store(value): target =>
                  writing(table, key, Some('sequence)):
                    '{
                      $table.checkUnchanged(before)
                      val place = ${ key.putNew(table, 'before) }
                      ${ onValue[K, Unit]('place)(place => target(place)) }
                    }
            }
        }
  end onAbsent

  def remove[K: Type, V: Type](map: Expr[StructMap[K, V]], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] = takenOut(tableOf(map), key)

  def takeOut[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    takenOut(tableIn(set), key)

  private def takenOut[K: Type](table: Expr[HashTable], key: Expr[K])(using
      Quotes
  ): Expr[Boolean] =
    withTable(table): table =>
      MapKey.of(key): key =>
        writing(table, key):
          '{
            val place = ${ key.find(table) }
            if place >= 0 then $table.remove(place)
            place >= 0
          }

  def add[K: Type](set: Expr[StructSet[K]], key: Expr[K])(using Quotes): Expr[Boolean] =
    withTable(tableIn(set)): table =>
      MapKey.of(key): key =>
        writing(table, key):
          '{
            val before = $table.size
            val _ = ${ key.put(table) }
            $table.size != before
          }

  /** Code over a map's table; errors that its close has caused name the region. */
  private[maps] def withTable[R: Type](table: Expr[HashTable])(
      body: Quotes ?=> Expr[HashTable] => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      val bound = $table
      try
        ${ body('bound) }
      catch case error: RuntimeException => throw bound.translate(error)
    }

  private def onValue[K: Type, V: Type, R: Type](map: Expr[StructMap[K, V]], key: Expr[K])(
      next: Quotes ?=> (Expr[HashTable], Expr[Long], Expr[Long], MapKey) => Expr[R]
  )(using Quotes): Expr[R] =
    val _ = size[V]("a StructMap's value")
    withTable(tableOf(map)): table =>
      MapKey.of(key): key =>
        '{
          val before = $table.read()
          val place = ${ key.find(table) }
          if place < 0 then $table.settle(before)
          ${ next(table, 'before, 'place, key) }
        }

  /** A change of the table by a key; with `before`, of one that is shared and has not changed
    * since.
    */
  private def writing[R: Type](
      table: Expr[HashTable],
      key: MapKey,
      before: Option[Expr[Long]] = None
  )(change: Expr[R])(using Quotes): Expr[R] =
    val write = before.fold('{ $table.write() })(sequence => '{ $table.write($sequence) })
    val begin = if key.usesScratch then '{ $table.prepare(); $write } else write
    '{
      $begin
      try $change
      finally $table.written()
    }

  /** The value of the entry at a place that was found after `before` was taken. */
  private[maps] def value[K: Type, V: Type](
      table: Expr[HashTable],
      before: Expr[Long],
      place: Expr[Long]
  )(using Quotes): Expr[V] =
    settled[V](table, before, onValue[K, V](place)(place => StructConstruction.load[V](place)))

  /** The result of loading an entry that was found after `before` was taken, if the entry has not
    * been moved or closed since: by another thread, or by user code that runs while a value is
    * constructed.
    */
  private[maps] def settled[A: Type](
      table: Expr[HashTable],
      before: Expr[Long],
      load: Expr[A]
  )(using
      Quotes
  ): Expr[A] =
    if runsCode[A] then
      '{
        val changes = $table.changes
        val loaded: A = $load
        $table.settle($before)
        $table.admit()
        $table.checkUnchanged(changes)
        loaded
      }
    else
      '{
        val loaded: A = $load
        $table.settle($before)
        loaded
      }

  /** Whether loading a value may run user code: a constructor, or a conversion. */
  private def runsCode[A: Type](using Quotes): Boolean =
    val tpe = quotes.reflect.TypeRepr.of[A].dealias
    StoredTypes.of(tpe).isDefined || (ShapeDerivation.kind(tpe) match
      case None | Some(Shape.Kind.Elements(
            _,
            _
          ) | Shape.Kind.Structs(_, _) | Shape.Kind.Union(_)) => true
      case _ => false)

  private def onValue[K: Type, R: Type](place: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    val keyBytes = Expr(HashTable.keyBytes(ShapeDerivation.shape[K].packedSize).toLong)
    '{
      val at = Cage.within($place) + $keyBytes
      ${ next(RowPlace('{ Cage.open }, 'at, packed = true)) }
    }

  private def missing[K: Type](table: Expr[HashTable], key: MapKey)(using Quotes): Expr[Nothing] =
    '{
      val place = ${ key.writeScratch(table) }
      $table.missing(${ MapKey.load[K]('place) })
    }

  /** The size of a type without padding, in bytes; an unknown type or a type that is not a struct
    * is an error.
    */
  private[maps] def size[A: Type](role: String)(using Quotes): Int =
    import quotes.reflect.*
    val tpe = TypeRepr.of[A].dealias
    if !ShapeDerivation.isKnown[A] then
      report.errorAndAbort(
        s"$role must be of a known type, a primitive or one with a Struct, not ${ShapeDerivation.named(tpe)}: " +
          ShapeDerivation.cure(tpe)
      )
    if ShapeDerivation.kind(tpe).isEmpty && Expr.summon[Struct[A]].isEmpty then
      report.errorAndAbort(
        s"$role is a ${ShapeDerivation.named(tpe)}, which has no Struct: ${ShapeDerivation.cure(tpe)}"
      )
    ShapeDerivation.shape[A].packedSize
end MapAccess
