package undercroft.struct
package internal.macros.loops

import internal.macros.schema.LayoutCheck
import internal.runtime.SortRuntime
import internal.bytes.FixedText
import internal.macros.places.Place
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import internal.macros.terms.{Projection, StructConstruction}
import internal.runtime.ParallelRuntime
import internal.sort.{LsdRadixSort, SortKey}
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the part of sorting and searching that depends on the key. */
@publicInBinary private[struct] object SortMacros:

  def inPlace[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K]
  )(using Quotes): Expr[Unit] =
    val _ = TableLoops.required[T, L]("sortInPlaceBy")
    val leaf = Expr(leafOf(field, "sortInPlaceBy"))
    checked(table)(rows => '{ SortRuntime.inPlace($rows, $leaf) })

  def together[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K]
  )(using Quotes): Expr[Unit] =
    val _ = TableLoops.required[T, L]("parSortInPlaceBy")
    val leaf = Expr(leafOf(field, "parSortInPlaceBy"))
    checked(table)(rows => '{ SortRuntime.together($rows, $leaf) })

  def stable[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "sortBy") match
      case Key.Word(bytes) =>
        '{
          def fill(rows: Table[T, L], buffer: LsdRadixSort): Unit = ${ filled('rows, key, 'buffer) }
          SortRuntime.stable($table, ${ Expr(bytes) }, $allocator)(fill)
        }
      case Key.Text(leaf) =>
        checked(table)(rows => '{ SortRuntime.stableByLeaf($rows, ${ Expr(leaf) }, $allocator) })

  def parallel[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "parSortBy") match
      case Key.Word(bytes) =>
        '{
          def fill(rows: Table[T, L], buffer: LsdRadixSort): Unit = ${ filled('rows, key, 'buffer) }
          ParallelRuntime.sort($table, ${ Expr(bytes) }, $allocator)(fill)
        }
      case Key.Text(leaf) =>
        checked(table)(rows => '{ ParallelRuntime.sortByLeaf($rows, ${ Expr(leaf) }, $allocator) })

  /** Code over a table, after a check that its leaves have the same indices as at compile time. */
  def checked[T: Type, L <: Layout: Type, R: Type](table: Expr[Table[T, L]])(
      next: Quotes ?=> Expr[Table[T, L]] => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      val bound = $table
      ${ LayoutCheck.check('bound) }
      ${ next('bound) }
    }

  /** Puts the key of each row. */
  private def filled[T: Type, L <: Layout: Type, K: Type](
      rows: Expr[Table[T, L]],
      key: Expr[T => K],
      buffer: Expr[LsdRadixSort]
  )(using Quotes): Expr[Unit] =
    Loop.literal(key): key =>
      Loop(rows): element =>
        '{
          val value: K = ${ element.applied(key) }
          SortRuntime.put($buffer, ${ wordOf('value) })
        }

  /** The sort key: one word of `bytes` bytes, or a field of several words. */
  enum Key:
    case Word(bytes: Int)
    case Text(leaf: Int)

  /** The kind of key that a function returns, or an error. */
  def keyOf[T: Type, L <: Layout: Type, K: Type](key: Expr[T => K], operation: String)(using
      Quotes
  ): Key =
    import quotes.reflect.*
    val tpe = TypeRepr.of[K].widen.dealias
    ShapeDerivation.kind(tpe) match
      case Some(Shape.Kind.Ordinal(of))                                    => Key.Word(of.size)
      case Some(kind) if !kind.isCompound && !StoredTypes.isReference(tpe) => Key.Word(kind.size)
      case Some(Shape.Kind.Text(_)) =>
        val _ = TableLoops.required[T, L](operation)
        Key.Text(leafOf(key, operation))
      case _ =>
        report.errorAndAbort(
          s"$operation needs a function to a primitive or to a type that is stored as one, or a " +
            s"field that is a Text, not to ${tpe.show}",
          key
        )

  def search[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K],
      key: Expr[K]
  )(using Quotes): Expr[Long] =
    import quotes.reflect.*
    val layout = TableLoops.required[T, L]("binarySearchBy")
    val leaf = Projection.leaf(field, "binarySearchBy")
    def before(place: Place, target: Expr[K]): Expr[Int] = leaf.kind match
      case Shape.Kind.Text(n) =>
        val text = StoredTypes.cast(target.asTerm, TypeRepr.of[String]).asExprOf[String]
        place
          .bytes(leaf)((memory, at) => '{ FixedText.compare($memory, $at, ${ Expr(n) }, $text) })
          .getOrElse(report.errorAndAbort("binarySearchBy needs a text in its place", field))
      case _ =>
        '{
          val rowWord = ${ word(place.get(leaf), isUnsigned[K]) }
          java.lang.Long.compareUnsigned(rowWord, ${ wordOf(target) })
        }
    '{
      def search(): Long =
        val rows = $table
        val target: K = $key
        var low = 0L
        var high = rows.size
        var isFound = false
        ${
          TableLoops.confirmed('rows):
            '{
              while low < high do
                val middle = (low + high) >>> 1
                val order = ${
                  TableLoops.guarded('{ rows.memory }): guard =>
                    TableLoops.row[T, L, Int]('rows, 'middle, Some(guard))(place =>
                      before(place, 'target)
                    )(layout)
                }
                if order < 0 then low = middle + 1
                else
                  if order == 0 then isFound = true
                  high = middle
            }
        }
        if isFound then low else -low - 1
      end search
      search()
    }
  end search

  /** The index of the leaf that a literal selects. */
  private def leafOf[T: Type](field: Expr[T => Any], operation: String)(using Quotes): Int =
    ShapeDerivation.shape[T].leaves.indexOf(Projection.leaf(field, operation))

  /** Whether a type is stored as an unsigned integer. */
  private def isUnsigned[K: Type](using Quotes): Boolean =
    import quotes.reflect.*
    ShapeDerivation.kind(TypeRepr.of[K].widen.dealias) match
      case Some(Shape.Kind.Ordinal(_)) => true
      case _                           => false

  /** The word of a key. */
  def wordOf[K: Type](key: Expr[K])(using Quotes): Expr[Long] =
    word(StructConstruction.leafOf(key), isUnsigned[K])

  private def word(value: Expr[Any], unsigned: Boolean)(using Quotes): Expr[Long] =
    value match
      case '{ $v: Byte } if unsigned  => '{ ($v & 0xffL) << 56 }
      case '{ $v: Short } if unsigned => '{ ($v & 0xffffL) << 48 }
      case '{ $v: Boolean }           => '{ SortKey.of($v) }
      case '{ $v: Byte }              => '{ SortKey.of($v) }
      case '{ $v: Short }             => '{ SortKey.of($v) }
      case '{ $v: Char }              => '{ SortKey.of($v) }
      case '{ $v: Int }               => '{ SortKey.of($v) }
      case '{ $v: Long }              => '{ SortKey.of($v) }
      case '{ $v: Float }             => '{ SortKey.of($v) }
      case '{ $v: Double }            => '{ SortKey.of($v) }
end SortMacros
