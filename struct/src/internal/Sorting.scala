package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates what is special to a key in sorting and searching. */
@publicInBinary private[struct] object Sorting:

  def inPlace[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K]
  )(using Quotes): Expr[Unit] =
    val _ = Single.required[T, L]("sortInPlaceBy")
    val leaf = Expr(leafOf(field, "sortInPlaceBy"))
    '{ Sorted.inPlace($table, $leaf) }

  def together[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K]
  )(using Quotes): Expr[Unit] =
    val _ = Single.required[T, L]("parSortInPlaceBy")
    val leaf = Expr(leafOf(field, "parSortInPlaceBy"))
    '{ Sorted.together($table, $leaf) }

  def stable[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "sortBy") match
      case Key.Word(bytes) =>
        '{
          def fill(rows: Table[T, L], buffer: SortBuffer): Unit = ${ filled('rows, key, 'buffer) }
          Sorted.stable($table, ${ Expr(bytes) }, $allocator)(fill)
        }
      case Key.Text(leaf) => '{ Sorted.stableByLeaf($table, ${ Expr(leaf) }, $allocator) }

  def parallel[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "parSortBy") match
      case Key.Word(bytes) =>
        '{
          def fill(rows: Table[T, L], buffer: SortBuffer): Unit = ${ filled('rows, key, 'buffer) }
          ParallelRows.sort($table, ${ Expr(bytes) }, $allocator)(fill)
        }
      case Key.Text(leaf) => '{ ParallelRows.sortByLeaf($table, ${ Expr(leaf) }, $allocator) }

  /** Puts the key of each row. */
  private def filled[T: Type, L <: Layout: Type, K: Type](
      rows: Expr[Table[T, L]],
      key: Expr[T => K],
      buffer: Expr[SortBuffer]
  )(using Quotes): Expr[Unit] =
    Loop.literal(key): key =>
      Loop(rows): element =>
        '{
          val value: K = ${ element.applied(key) }
          Sorted.put($buffer, ${ wordOf('value) })
        }

  /** What rows are sorted by: one word of so many bytes, or a field of several. */
  enum Key:
    case Word(bytes: Int)
    case Text(leaf: Int)

  /** The key that a function gives, or an error. */
  def keyOf[T: Type, L <: Layout: Type, K: Type](key: Expr[T => K], operation: String)(using
      Quotes
  ): Key =
    import quotes.reflect.*
    val tpe = TypeRepr.of[K].widen.dealias
    Schema.kind(tpe) match
      case Some(Kind.Ordinal(of))                                     => Key.Word(of.size)
      case Some(kind) if !kind.isCompound && !Stored.isReference(tpe) => Key.Word(kind.size)
      case Some(Kind.Text(_)) =>
        val _ = Single.required[T, L](operation)
        Key.Text(leafOf(key, operation))
      case _ =>
        report.errorAndAbort(
          s"$operation needs a function to a primitive or to a type that is stored as one, or a " +
            s"field that is a Text, and ${tpe.show} is none",
          key
        )

  def search[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K],
      key: Expr[K]
  )(using Quotes): Expr[Long] =
    import quotes.reflect.*
    val layout = Single.required[T, L]("binarySearchBy")
    val leaf = Projection.leaf(field, "binarySearchBy")
    def before(place: Place, wanted: Expr[K]): Expr[Int] = leaf.kind match
      case Kind.Text(n) =>
        val text = Stored.cast(wanted.asTerm, TypeRepr.of[String]).asExprOf[String]
        place
          .bytes(leaf)((memory, at) => '{ TextBytes.compare($memory, $at, ${ Expr(n) }, $text) })
          .getOrElse(report.errorAndAbort("binarySearchBy needs a text in its place", field))
      case _ =>
        '{
          val own = ${ word(place.get(leaf), isUnsigned[K]) }
          java.lang.Long.compareUnsigned(own, ${ wordOf(wanted) })
        }
    '{
      def search(): Long =
        val rows = $table
        val wanted: K = $key
        var low = 0L
        var high = rows.size
        var found = false
        ${
          Tables.confirmed('rows):
            '{
              while low < high do
                val middle = (low + high) >>> 1
                val order = ${
                  Tables.guarded('{ rows.memory }): guard =>
                    Tables.row[T, L, Int]('rows, 'middle, Some(guard))(place =>
                      before(place, 'wanted)
                    )(layout)
                }
                if order < 0 then low = middle + 1
                else
                  if order == 0 then found = true
                  high = middle
            }
        }
        if found then low else -low - 1
      end search
      search()
    }
  end search

  /** Which of the struct's leaves a literal selects. */
  private def leafOf[T: Type](field: Expr[T => Any], operation: String)(using Quotes): Int =
    Schema.shape[T].leaves.indexOf(Projection.leaf(field, operation))

  /** Whether a type is stored as a number that needs the place of the sign. */
  private def isUnsigned[K: Type](using Quotes): Boolean =
    import quotes.reflect.*
    Schema.kind(TypeRepr.of[K].widen.dealias) match
      case Some(Kind.Ordinal(_)) => true
      case _                     => false

  /** The word of a key. */
  def wordOf[K: Type](key: Expr[K])(using Quotes): Expr[Long] =
    word(Code.leafOf(key), isUnsigned[K])

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
end Sorting
