package undercroft.struct
package internal.macros.loops

import internal.macros.schema.LayoutCheck
import internal.runtime.SortRuntime
import internal.bytes.FixedText
import internal.macros.places.{Bound, Place}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.StructConstruction
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
    val fields = fieldsOf(field, "sortInPlaceBy")
    checked(table)(rows => '{ SortRuntime.inPlace($rows, $fields) })

  def together[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K],
      grain: Expr[Long]
  )(using Quotes): Expr[Unit] =
    val _ = TableLoops.required[T, L]("parSortInPlaceBy")
    val fields = fieldsOf(field, "parSortInPlaceBy")
    checked(table)(rows => '{ SortRuntime.together($rows, $fields, $grain) })

  def stable[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "sortBy") match
      case Key.Word(bytes, parts) =>
        '{
          def fill(rows: Table[T, L], buffer: LsdRadixSort): Unit = ${
            filled('rows, key, parts, 'buffer)
          }
          SortRuntime.stable($table, ${ Expr(bytes) }, $allocator)(fill)
        }
      case Key.Fields(codes) =>
        checked(table)(rows => '{ SortRuntime.stableByFields($rows, ${ Expr(codes) }, $allocator) })

  def parallel[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      grain: Expr[Long],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    keyOf[T, L, K](key, "parSortBy") match
      case Key.Word(bytes, parts) =>
        '{
          val all = $table
          ${
            Loop.literal(key): key => // one function for all threads
              '{
                def fill(rows: Table[T, L], buffer: LsdRadixSort): Unit = ${
                  filled('rows, key, parts, 'buffer)
                }
                ParallelRuntime.sort(all, ${ Expr(bytes) }, $grain, $allocator)(fill)
              }
          }
        }
      case Key.Fields(codes) =>
        checked(table)(rows =>
          '{ ParallelRuntime.sortByFields($rows, ${ Expr(codes) }, $grain, $allocator) }
        )

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
      parts: List[KeyPart],
      buffer: Expr[LsdRadixSort]
  )(using Quotes): Expr[Unit] =
    Loop.literal(key): key =>
      val word = KeyFunction.word(key, parts)
      Loop(rows)(element => '{ SortRuntime.put($buffer, ${ element.applied(word) }) })

  /** The sort key: one word of `bytes` bytes, or fields by their codes. */
  enum Key:
    case Word(bytes: Int, parts: List[KeyPart])
    case Fields(codes: Array[Int])

  /** The kind of key that a function returns, or an error. */
  def keyOf[T: Type, L <: Layout: Type, K: Type](key: Expr[T => K], operation: String)(using
      Quotes
  ): Key =
    val parts = KeyFunction.parts[K](key, operation, KeyFunction.Computed)
    KeyFunction.wordBytes(parts) match
      case Some(bytes) => Key.Word(bytes, parts)
      case None =>
        val _ = TableLoops.required[T, L](operation)
        Key.Fields(KeyFunction.fields(key, parts, operation).toArray)

  /** The codes of the fields that a literal selects. */
  private def fieldsOf[T: Type, K: Type](key: Expr[T => K], operation: String)(using
      Quotes
  ): Expr[Array[Int]] =
    val parts = KeyFunction.parts[K](key, operation, KeyFunction.FieldsOnly)
    Expr(KeyFunction.fields(key, parts, operation).toArray)

  def search[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => K],
      key: Expr[K]
  )(using Quotes): Expr[Long] =
    val layout = TableLoops.required[T, L]("binarySearchBy")
    val parts = KeyFunction.parts[K](field, "binarySearchBy", KeyFunction.FieldsOnly)
    val leaves = ShapeDerivation.shape[T].leaves
    val fields = KeyFunction.fields(field, parts, "binarySearchBy")
    def before(place: Place, targets: List[Expr[Any]])(using Quotes): Expr[Int] =
      fields.zip(parts).zip(targets).map { case ((code, part), target) =>
        if code < 0 then '{ -${ compare(place, leaves(~code), part, target) } }
        else compare(place, leaves(code), part, target)
      }.reduceRight((first, rest) => '{ val order = $first; if order != 0 then order else $rest })
    def compare(place: Place, leaf: Shape.Leaf, part: KeyPart, target: Expr[Any])(using
        Quotes
    ): Expr[Int] =
      import quotes.reflect.*
      leaf.kind match
        case Shape.Kind.Text(n) =>
          val text = target.asExprOf[String]
          place
            .bytes(leaf)((memory, at) => '{ FixedText.compare($memory, $at, ${ Expr(n) }, $text) })
            .getOrElse(report.errorAndAbort("binarySearchBy needs a text in its place", field))
        case _ =>
          part.tpe match
            case '[a] =>
              '{
                val rowWord = ${ word(place.get(leaf), isUnsigned[a]) }
                java.lang.Long.compareUnsigned(rowWord, ${ target.asExprOf[Long] })
              }

    /** A value of the key in the form that rows are compared with: a String or a word. */
    def stored(part: KeyPart, target: Expr[Any])(using Quotes): quotes.reflect.Term =
      import quotes.reflect.*
      part.tpe match
        case '[a] =>
          if part.isText then StructConstruction.leaf(TypeRepr.of[a].dealias, target.asTerm)
          else wordOf(target.asExprOf[a]).asTerm
    def search(values: List[Expr[Any]])(using Quotes): Expr[Long] =
      import quotes.reflect.*
      val targets = parts.zip(values).map((part, value) => stored(part, value))
      Bound.all(targets)(names => searched(names.map(_.asExpr)).asTerm).asExprOf[Long]
    def searched(targets: List[Expr[Any]])(using Quotes): Expr[Long] =
      '{
        val rows = $table
        ${
          TableLoops.named('rows):
            '{
              var low = 0L
              var high = rows.size
              var isFound = false
              while low < high do
                val middle = (low + high) >>> 1
                val order = ${
                  TableLoops.guarded('{ rows.memory }): guard =>
                    TableLoops.row[T, L, Int]('rows, 'middle, Some(guard))(place =>
                      before(place, targets)
                    )(layout)
                }
                if order < 0 then low = middle + 1
                else
                  if order == 0 then isFound = true
                  high = middle
              rows.confirm()
              if isFound then low else -low - 1
            }
        }
      }
    '{
      def loop(): Long = ${ KeyFunction.bound(key, parts)(search(_)) }
      loop()
    }
  end search

  /** Whether a type is stored as an unsigned integer. */
  private def isUnsigned[K: Type](using Quotes): Boolean =
    import quotes.reflect.*
    ShapeDerivation.kind(TypeRepr.of[K].widen.dealias) match
      case Some(Shape.Kind.Ordinal(_)) => true
      case _                           => false

  /** The word of a key. */
  def wordOf[K: Type](key: Expr[K])(using Quotes): Expr[Long] =
    word(StructConstruction.leafOf(key), isUnsigned[K])

  /** As [[wordOf]], for the leaf that a value is stored as. */
  def word(value: Expr[Any], unsigned: Boolean)(using Quotes): Expr[Long] =
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
