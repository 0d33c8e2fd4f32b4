package undercroft.struct
package internal.macros.loops

import internal.bytes.BestKey
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.StructConstruction
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the loops that find the smallest or the largest value of a View, as local methods (see
  * [[FusedLoops]]).
  */
@publicInBinary private[struct] object ExtremeLoops:

  def extreme[A: Type](view: Expr[View[A]], largest: Expr[Boolean])(using Quotes): Expr[A] =
    val name = if largest.valueOrAbort then "max" else "min"
    extremeOf(view, largest.valueOrAbort, name)((isEmpty, best) =>
      '{ if $isEmpty then Table.empty(${ Expr(name) }) else $best }
    )

  def extremeOption[A: Type](view: Expr[View[A]], largest: Expr[Boolean])(using
      Quotes
  ): Expr[Option[A]] =
    val name = if largest.valueOrAbort then "maxOption" else "minOption"
    extremeOf(view, largest.valueOrAbort, name)((isEmpty, best) =>
      '{ if $isEmpty then None else Some($best) }
    )

  private def extremeOf[A: Type, R: Type](view: Expr[View[A]], isLargest: Boolean, name: String)(
      result: Quotes ?=> (Expr[Boolean], Expr[A]) => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      def loop(): R =
        var isEmpty = true
        var best: A = ${ zero[A](name) }
        ${
          Loop(view): element =>
            '{
              val value = ${ element.value }
              if isEmpty || ${ beyond('value, 'best, isLargest) } then
                best = value
                isEmpty = false
            }
        }
        ${ result('isEmpty, 'best) }
      loop()
    }

  def extremeBy[A: Type, K: Type](
      view: Expr[View[A]],
      key: Expr[A => K],
      largest: Expr[Boolean]
  )(using Quotes): Expr[A] =
    val name = if largest.valueOrAbort then "maxBy" else "minBy"
    extremeByOf(view, key, largest.valueOrAbort, name)((isEmpty, best) =>
      '{ if $isEmpty then Table.empty(${ Expr(name) }) else $best }
    )

  def extremeByOption[A: Type, K: Type](
      view: Expr[View[A]],
      key: Expr[A => K],
      largest: Expr[Boolean]
  )(using Quotes): Expr[Option[A]] =
    val name = if largest.valueOrAbort then "maxByOption" else "minByOption"
    extremeByOf(view, key, largest.valueOrAbort, name)((isEmpty, best) =>
      '{ if $isEmpty then None else Some($best) }
    )

  private def extremeByOf[A: Type, K: Type, R: Type](
      view: Expr[View[A]],
      key: Expr[A => K],
      isLargest: Boolean,
      name: String
  )(result: Quotes ?=> (Expr[Boolean], Expr[A]) => Expr[R])(using Quotes): Expr[R] =
    val parts = KeyFunction.parts[K](key, name, KeyFunction.Computed)
    '{
      def loop(): R =
        var isEmpty = true
        var value: A = null.asInstanceOf[A]
        ${
          Loop.over(view, key): (source, key) =>
            bestBy(source, key, parts, isLargest)(best =>
              '{
                isEmpty = false
                value = $best
              }
            )
        }
        ${ result('isEmpty, 'value) }
      loop()
    }
  end extremeByOf

  /** Finds the first value with the best key; does nothing if there is no value. */
  private def bestBy[A: Type, K: Type](
      source: LoopSource[A],
      key: Expr[A => K],
      parts: List[KeyPart],
      isLargest: Boolean
  )(next: Quotes ?=> Expr[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    if KeyFunction.wordBytes(parts).isDefined then shortKey(source, key, parts, isLargest)(next)
    else longKey(source, key, parts, isLargest)(next)

  /** As `bestBy`, for a key of one word. */
  private def shortKey[A: Type, K: Type](
      source: LoopSource[A],
      key: Expr[A => K],
      parts: List[KeyPart],
      isLargest: Boolean
  )(next: Quotes ?=> Expr[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    val word = KeyFunction.word(key, parts)
    '{
      var isFirst = true
      var best = 0L
      ${
        source.keeping(
          (element, keep) =>
            '{
              val current = ${ element.applied(word) }
              val order = java.lang.Long.compareUnsigned(current, best)
              if isFirst || ${ if isLargest then '{ order > 0 } else '{ order < 0 } } then
                isFirst = false
                best = current
                $keep
            },
          kept => '{ if !isFirst then ${ next(kept) } }
        )
      }
    }
  end shortKey

  /** As `bestBy`, for a key of several words. */
  private def longKey[A: Type, K: Type](
      source: LoopSource[A],
      key: Expr[A => K],
      parts: List[KeyPart],
      isLargest: Boolean
  )(next: Quotes ?=> Expr[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    val words = Expr(parts.map(part => BestKey.words(part.bytes)).sum)
    '{
      val best = BestKey($words, ${ Expr(isLargest) })
      ${
        val isBetter = KeyFunction.isBetter(key, parts, 'best)
        source.keeping(
          (element, keep) => '{ if ${ element.applied(isBetter) } then $keep },
          kept => '{ if !best.isEmpty then ${ next(kept) } }
        )
      }
    }
  end longKey

  /** Whether a primitive is less (or greater) than another, in the order of java.lang's compare. */
  private def beyond[A: Type](value: Expr[A], best: Expr[A], largest: Boolean)(using
      Quotes
  ): Expr[Boolean] =
    val order: Expr[Int] = Type.of[A] match
      case '[Double] =>
        '{ java.lang.Double.compare(${ value.asExprOf[Double] }, ${ best.asExprOf[Double] }) }
      case '[Float] =>
        '{ java.lang.Float.compare(${ value.asExprOf[Float] }, ${ best.asExprOf[Float] }) }
      case '[Boolean] =>
        '{ java.lang.Boolean.compare(${ value.asExprOf[Boolean] }, ${ best.asExprOf[Boolean] }) }
      case _ =>
        '{ java.lang.Long.compare(${ FusedLoops.asLong(value) }, ${ FusedLoops.asLong(best) }) }
    if largest then '{ $order > 0 } else '{ $order < 0 }

  private def zero[A: Type](operation: String)(using Quotes): Expr[A] =
    import quotes.reflect.*
    val value = Type.of[A] match
      case '[Boolean] => '{ false }
      case '[Byte]    => '{ 0.toByte }
      case '[Short]   => '{ 0.toShort }
      case '[Char]    => '{ 0.toChar }
      case '[Int]     => '{ 0 }
      case '[Long]    => '{ 0L }
      case '[Float]   => '{ 0f }
      case '[Double]  => '{ 0d }
      case _ =>
        report.errorAndAbort(
          s"$operation compares primitives, and ${ShapeDerivation.named(TypeRepr.of[A].widen.dealias)} is not a primitive: " +
            "map to a primitive field, or use minBy or maxBy"
        )
    StructConstruction.fitted(value.asTerm, TypeRepr.of[A]).asExprOf[A]
end ExtremeLoops
