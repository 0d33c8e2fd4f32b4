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
    '{ Sorted.inPlace($table, $leaf, ${ unsigned[K] }) }

  def stable[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    import quotes.reflect.*
    Schema.primitive(TypeRepr.of[K].widen) match
      case Some(kind) =>
        '{
          def fill(rows: Table[T, L], buffer: SortBuffer): Unit = ${ filled('rows, key, 'buffer) }
          Sorted.stable($table, ${ Expr(kind.size) }, $allocator)(fill)
        }
      case None =>
        val _ = Single.required[T, L]("sortBy")
        val leaf = Expr(leafOf(key, "sortBy"))
        '{ Sorted.stableByLeaf($table, $leaf, ${ unsigned[K] }, $allocator) }
  end stable

  def parallel[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    val bytes = Expr(primitive[K](key, "parSortBy").size)
    '{
      def fill(rows: Table[T, L], buffer: SortBuffer): Unit = ${ filled('rows, key, 'buffer) }
      ParallelRows.sort($table, $bytes, $allocator)(fill)
    }

  /** Puts the key of each row. */
  private def filled[T: Type, L <: Layout: Type, K: Type](
      rows: Expr[Table[T, L]],
      key: Expr[T => K],
      buffer: Expr[SortBuffer]
  )(using Quotes): Expr[Unit] =
    Loop.literal(key): key =>
      Loop(rows): element =>
        '{
          val value = ${ element.applied(key) }
          Sorted.put($buffer, ${ word('value) })
        }

  /** The primitive that a function gives, or an error. */
  def primitive[K: Type](key: Expr[Any], operation: String)(using Quotes): Kind =
    import quotes.reflect.*
    val tpe = TypeRepr.of[K].widen
    Schema.primitive(tpe).getOrElse:
      report.errorAndAbort(
        s"$operation needs a function to a primitive, and ${tpe.show} is none",
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
          java.lang.Long.compareUnsigned(own, ${ word(Code.leafOf(wanted), isUnsigned[K]) })
        }
    '{
      def search(): Long =
        val rows = $table
        val wanted: K = $key
        var low = 0L
        var high = rows.size
        var found = false
        ${
          Tables.named('rows):
            '{
              while low < high do
                val middle = (low + high) >>> 1
                val order = ${
                  Tables.row[T, L, Int]('rows, 'middle)(place => before(place, 'wanted))(layout)
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

  /** Enums are stored as ordinals, which have no sign. */
  private def isUnsigned[K: Type](using Quotes): Boolean =
    import quotes.reflect.*
    Stored.isEnumeration(TypeRepr.of[K].widen.dealias)
  private def unsigned[K: Type](using Quotes): Expr[Boolean] = Expr(isUnsigned[K])

  def word(value: Expr[Any], unsigned: Boolean = false)(using Quotes): Expr[Long] =
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
