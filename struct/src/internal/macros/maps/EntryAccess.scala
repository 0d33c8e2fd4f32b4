package undercroft.struct
package internal.macros.maps

import internal.entries.EntryTable
import internal.macros.places.Place
import internal.macros.schema.{LayoutCheck, ShapeDerivation, StoredTypes}
import internal.macros.terms.{StructConstruction, ValueSplitter}
import scala.quoted.*
import undercroft.struct.*

/** An evaluated key in the code of an access to entries of `T`. */
private[struct] trait EntryKey[K, T <: EntryTable]:
  /** The place of the key, or less than 0 if absent. */
  def find(table: Expr[T])(using Quotes): Expr[Long]

  /** The place of the key, which is added if absent. */
  def put(table: Expr[T])(using Quotes): Expr[Long]

  /** The place of the key, which is added: [[find]] returned `place` when the table's changes were
    * `before`, and they still are.
    */
  def add(table: Expr[T], place: Expr[Long], before: Expr[Long])(using Quotes): Expr[Long]

  /** The statement before a change by this key, if there is one. */
  def prepared(table: Expr[T])(using Quotes): Option[Expr[Unit]] = None

  /** The key as a value, for an error. */
  def value(table: Expr[T])(using Quotes): Expr[K]
end EntryKey

/** Generates the access to the entries of a map by a key. A read is followed by `settle`. A change
  * is between `write` and `written`, and no user code runs in between.
  */
private[struct] trait EntryAccess[M[_, _], T <: EntryTable]:
  /** The name of the map's class. */
  protected def mapName: String

  /** The table of a map, after a check that it has the layouts that this code was compiled for. */
  private[maps] def tableOf[K: Type, V: Type](map: Expr[M[K, V]])(using Quotes): Expr[T]

  /** Evaluates a key and continues with it. No user code runs afterwards: it could close the table,
    * or use the scratch slot.
    */
  protected def keyOf[K: Type, R: Type](key: Expr[K])(
      next: Quotes ?=> EntryKey[K, T] => Expr[R]
  )(using Quotes): Expr[R]

  /** Continues with the place of the value of the entry at a place. */
  protected def atValue[K: Type, R: Type](table: Expr[T], place: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R]

  /** A statement that rejects the Struct of a type if its layout differs from the layout in this
    * code.
    */
  protected final def admitted[A: Type](using Quotes): Expr[Unit] =
    LayoutCheck.inScope[A] match
      case Some(struct) => '{ val _ = ${ LayoutCheck.checked(struct) } }
      case None         => '{ () }

  final def apply[K: Type, V: Type](map: Expr[M[K, V]], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[V] =
    onValue[K, V, V](map, key): (table, before, place, key) =>
      '{
        if $place < 0 then $table.missing(${ key.value(table) })
        else ${ value[K, V](table, before, place) }
      }

  final def getOrElse[K: Type, V: Type](
      map: Expr[M[K, V]],
      key: Expr[K],
      default: Expr[V]
  )(using Quotes, Type[T]): Expr[V] =
    onValue[K, V, V](map, key): (table, before, place, _) =>
      '{ if $place < 0 then $default else ${ value[K, V](table, before, place) } }

  final def get[K: Type, V: Type](map: Expr[M[K, V]], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[Option[V]] =
    onValue[K, V, Option[V]](map, key): (table, before, place, _) =>
      '{ if $place < 0 then None else Some(${ value[K, V](table, before, place) }) }

  final def contains[K: Type, V: Type](map: Expr[M[K, V]], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[Boolean] = isPresent(tableOf(map), key)

  private[maps] final def isPresent[K: Type](table: Expr[T], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[Boolean] =
    withTable(table): table =>
      keyOf(key): key =>
        '{
          val before = $table.read()
          val place = ${ key.find(table) }
          $table.settle(before)
          place >= 0
        }

  final def update[K: Type, V: Type](
      map: Expr[M[K, V]],
      key: Expr[K],
      value: Expr[V]
  )(using Quotes, Type[T]): Expr[Unit] =
    val _ = size[V](s"a $mapName's value")
    withTable(tableOf(map)): table =>
      keyOf(key): key =>
        ValueSplitter.store(value): target =>
          writing(table, key):
            '{
              val place = ${ key.put(table) }
              ${ atValue[K, Unit](table, 'place)(place => target(place)) }
            }

  final def updateOrElse[K: Type, V: Type](
      map: Expr[M[K, V]],
      key: Expr[K],
      zero: Expr[V],
      f: Expr[V => V]
  )(using Quotes, Type[T]): Expr[Unit] =
    val _ = size[V](s"a $mapName's value")
    withTable(tableOf(map)): table =>
      keyOf(key): key =>
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
                  val place =
                    if oldPlace < 0 then ${ key.add(table, 'oldPlace, 'before) } else oldPlace
                  ${ atValue[K, Unit](table, 'place)(place => target(place)) }
                }
          }
        }
  end updateOrElse

  final def getOrElseUpdate[K: Type, V: Type](
      map: Expr[M[K, V]],
      key: Expr[K],
      default: Expr[V]
  )(using Quotes, Type[T]): Expr[V] =
    onAbsent[K, V, V](map, key)((table, sequence, place) => value[K, V](table, sequence, place)):
      add =>
        '{
          val added: V = $default
          ${ add('added) }
          added
        }

  final def putIfAbsent[K: Type, V: Type](
      map: Expr[M[K, V]],
      key: Expr[K],
      value: Expr[V]
  )(using Quotes, Type[T]): Expr[Boolean] =
    onAbsent[K, V, Boolean](map, key)((table, sequence, _) =>
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
  private def onAbsent[K: Type, V: Type, R: Type](map: Expr[M[K, V]], key: Expr[K])(
      present: Quotes ?=> (Expr[T], Expr[Long], Expr[Long]) => Expr[R]
  )(absent: Quotes ?=> (Quotes ?=> Expr[V] => Expr[Unit]) => Expr[R])(using
      Quotes,
      Type[T]
  ): Expr[R] =
    val _ = size[V](s"a $mapName's value")
    withTable(tableOf(map)): table =>
      keyOf(key): key =>
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
                      val place = ${ key.add(table, 'oldPlace, 'before) }
                      ${ atValue[K, Unit](table, 'place)(place => target(place)) }
                    }
            }
        }
  end onAbsent

  final def remove[K: Type, V: Type](map: Expr[M[K, V]], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[Boolean] = removed(tableOf(map), key)

  private[maps] final def removed[K: Type](table: Expr[T], key: Expr[K])(using
      Quotes,
      Type[T]
  ): Expr[Boolean] =
    withTable(table): table =>
      keyOf(key): key =>
        writing(table, key):
          '{
            val place = ${ key.find(table) }
            if place >= 0 then $table.remove(place)
            place >= 0
          }

  /** Code over a map's table; errors that its close has caused name the region. */
  private[maps] final def withTable[R: Type](table: Expr[T])(
      body: Quotes ?=> Expr[T] => Expr[R]
  )(using Quotes, Type[T]): Expr[R] =
    '{
      val bound: T = $table
      try
        ${ body('bound) }
      catch case error: RuntimeException => throw bound.translate(error)
    }

  private def onValue[K: Type, V: Type, R: Type](map: Expr[M[K, V]], key: Expr[K])(
      next: Quotes ?=> (Expr[T], Expr[Long], Expr[Long], EntryKey[K, T]) => Expr[R]
  )(using Quotes, Type[T]): Expr[R] =
    val _ = size[V](s"a $mapName's value")
    withTable(tableOf(map)): table =>
      keyOf(key): key =>
        '{
          val before = $table.read()
          val place = ${ key.find(table) }
          if place < 0 then $table.settle(before)
          ${ next(table, 'before, 'place, key) }
        }

  /** A change of the table by a key; with `before`, of one that is shared and has not changed
    * since.
    */
  protected final def writing[R: Type](
      table: Expr[T],
      key: EntryKey[?, T],
      before: Option[Expr[Long]] = None
  )(change: Expr[R])(using Quotes, Type[T]): Expr[R] =
    val write = before.fold('{ $table.write() })(sequence => '{ $table.write($sequence) })
    val begin = key.prepared(table).fold(write)(prepared => '{ $prepared; $write })
    '{
      $begin
      try $change
      finally $table.written()
    }

  /** The value of the entry at a place that was found after `before` was taken. */
  private[maps] final def value[K: Type, V: Type](
      table: Expr[T],
      before: Expr[Long],
      place: Expr[Long]
  )(using Quotes, Type[T]): Expr[V] =
    settled[V](
      table,
      before,
      atValue[K, V](table, place)(place => StructConstruction.load[V](place))
    )

  /** The result of loading an entry that was found after `before` was taken, if the entry has not
    * been moved or closed since: by another thread, or by user code that runs while a value is
    * constructed.
    */
  private[maps] final def settled[A: Type](
      table: Expr[T],
      before: Expr[Long],
      load: Expr[A]
  )(using Quotes, Type[T]): Expr[A] =
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

  /** The size of a type without padding, in bytes; an unknown type or a type that is not a struct
    * is an error.
    */
  private[maps] final def size[A: Type](role: String)(using Quotes): Int =
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
end EntryAccess
