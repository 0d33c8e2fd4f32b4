package undercroft.struct
package internal.macros.loops

import java.time.Duration
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the operations of a View as loops (loop fusion).
  *
  * The function of an operation is evaluated once, after the view, as in a call of a method.
  *
  * A quote must not compute the next value of an outer quote's variable from its own values: the
  * compiler moves such an assignment to the scope around the quote, and rejects it there under
  * `-Xcheck-macros`. The assignment is a quote of its own (`add`).
  *
  * Each operation becomes a local method, which keeps the enclosing method small; it starts with an
  * empty stack, without which the JVM does not replace a running loop by compiled code (on-stack
  * replacement). If nothing ends the loop early, each block of rows has a separate method within.
  */
@publicInBinary private[struct] object FusedLoops:

  def foreach[A: Type](view: Expr[View[A]], f: Expr[A => Any])(using Quotes): Expr[Unit] =
    '{
      def loop(): Unit = ${
        Loop.over(view, f): (source, f) =>
          source.blocks(
            '{ () },
            (state, rows) =>
              '{
                ${
                  rows(element =>
                    '{
                      val _ = ${ element.applied(f) }
                    }
                  )
                }
                $state
              },
            after => after
          )
      }
      loop()
    }

  def foldLeft[A: Type, B: Type](
      view: Expr[View[A]],
      zero: Expr[B],
      op: Expr[(B, A) => B]
  )(using Quotes): Expr[B] =
    '{
      def loop(): B =
        var total: B = null.asInstanceOf[B]
        ${
          LoopSource(view): source =>
            '{
              total = $zero
              ${
                Loop.literal(op): op =>
                  source.blocks(
                    'total,
                    (before, rows) =>
                      '{
                        var inBlock: B = $before
                        ${ rows(element => '{ inBlock = ${ element.folded(op, 'inBlock) } }) }
                        inBlock
                      },
                    after => '{ total = $after }
                  )
              }
            }
        }
        total
      end loop
      loop()
    }

  def count[A: Type](view: Expr[View[A]], p: Expr[A => Boolean])(using Quotes): Expr[Long] =
    '{
      def loop(): Long =
        var matches = 0L
        ${
          Loop.over(view, p): (source, p) =>
            source.blocks(
              'matches,
              (before, rows) =>
                '{
                  var inBlock = $before
                  ${ rows(element => '{ if ${ element.applied(p) } then inBlock += 1 }) }
                  inBlock
                },
              after => '{ matches = $after }
            )
        }
        matches
      loop()
    }

  def exists[A: Type](view: Expr[View[A]], p: Expr[A => Boolean])(using Quotes): Expr[Boolean] =
    '{ !${ searched(view, p, wanted = true) } }

  def forall[A: Type](view: Expr[View[A]], p: Expr[A => Boolean])(using Quotes): Expr[Boolean] =
    searched(view, p, wanted = false)

  /** Whether `p` is `wanted` for no value. */
  private def searched[A: Type](view: Expr[View[A]], p: Expr[A => Boolean], wanted: Boolean)(using
      Quotes
  ): Expr[Boolean] =
    '{
      def loop(): Boolean =
        var searching = true
        ${
          Loop.over(view, p): (source, p) =>
            source.loop(
              Some('searching),
              element =>
                val isFound = equal(element.applied(p), wanted)
                '{ if $isFound then searching = false }
            )
        }
        searching
      loop()
    }

  def find[A: Type](view: Expr[View[A]], p: Expr[A => Boolean])(using Quotes): Expr[Option[A]] =
    '{
      def loop(): Option[A] =
        var searching = true
        var result: A = null.asInstanceOf[A]
        ${
          Loop.over(view, p): (source, p) =>
            source.loop(
              Some('searching),
              element =>
                '{
                  if ${ element.applied(p) } then
                    searching = false
                    result = ${ element.value }
                }
            )
        }
        if searching then None else Some(result)
      loop()
    }

  def reduce[A: Type, B >: A: Type](view: Expr[View[A]], op: Expr[(B, B) => B])(using
      Quotes
  ): Expr[B] =
    reduced[A, B, B](view, op)((isEmpty, total) =>
      '{ if $isEmpty then Table.empty("reduce") else $total }
    )

  def reduceOption[A: Type, B >: A: Type](view: Expr[View[A]], op: Expr[(B, B) => B])(using
      Quotes
  ): Expr[Option[B]] =
    reduced[A, B, Option[B]](view, op)((isEmpty, total) =>
      '{ if $isEmpty then None else Some($total) }
    )

  private def reduced[A: Type, B >: A: Type, R: Type](
      view: Expr[View[A]],
      op: Expr[(B, B) => B]
  )(result: Quotes ?=> (Expr[Boolean], Expr[B]) => Expr[R])(using Quotes): Expr[R] =
    '{
      def loop(): R =
        var isEmpty = true
        var total: B = null.asInstanceOf[B]
        ${
          Loop.over(view, op): (source, op) =>
            def add(value: Expr[B])(using Quotes) =
              '{
                total =
                  if isEmpty then $value else ${ Expr.betaReduce('{ $op(total, $value) }) }
                isEmpty = false
              }
            source.loop(
              None,
              element =>
                '{
                  val value: B = ${ element.value }
                  ${ add('value) }
                }
            )
        }
        ${ result('isEmpty, 'total) }
      end loop
      loop()
    }

  def indexWhere[A: Type](
      view: Expr[View[A]],
      p: Expr[A => Boolean],
      wanted: Expr[Boolean]
  )(using Quotes): Expr[Long] =
    '{
      def loop(): Long =
        var at = 0L
        var searching = true
        ${
          Loop.over(view, p): (source, p) =>
            source.loop(
              Some('searching),
              element =>
                val isFound = equal(element.applied(p), wanted.valueOrAbort)
                '{ if $isFound then searching = false else at += 1 }
            )
        }
        if searching then -1L else at
      loop()
    }

  /** Whether a result is the wanted one. */
  private def equal(result: Expr[Boolean], wanted: Boolean)(using Quotes): Expr[Boolean] =
    if wanted then result else '{ ! $result }

  /** The last value. */
  def last[A: Type](view: Expr[View[A]])(using Quotes): Expr[Option[A]] =
    '{
      def loop(): Option[A] =
        var isEmpty = true
        var result: A = null.asInstanceOf[A]
        ${
          Loop.keeping(view)((_, keep) =>
            '{
              isEmpty = false
              $keep
            }
          )(last => '{ if !isEmpty then result = $last })
        }
        if isEmpty then None else Some(result)
      loop()
    }

  def sum[A: Type, R: Type](view: Expr[View[A]])(using Quotes): Expr[R] =
    Type.of[A] match
      case '[Long] =>
        exactly(view, (high, low) => '{ Summable.fitting($high, $low) }).asExprOf[R]
      case '[Byte | Short | Int] =>
        '{
          def loop(): Long =
            var total = 0L
            ${
              Loop.blocks(view, '{ 0L })((before, rows) =>
                '{
                  var inBlock = $before
                  ${ rows(element => '{ inBlock += ${ asLong(element.value) } }) }
                  inBlock
                }
              )(block => '{ total = Math.addExact(total, $block) })
            }
            total
          loop()
        }.asExprOf[R]
      case '[BigDecimal] =>
        val add = '{ (sum: BigDecimal, value: A) =>
          Summable.plus(sum, value.asInstanceOf[BigDecimal])
        }
        foldLeft(view, '{ BigDecimal(0) }, add).asExprOf[R]
      case '[Duration] =>
        val add = '{ (sum: Duration, value: A) => sum.plus(value.asInstanceOf[Duration]).nn }
        foldLeft(view, '{ Duration.ZERO.nn }, add).asExprOf[R]
      case '[Float | Double] =>
        '{
          def loop(): Double =
            var total = 0d
            ${
              Loop.blocks(view, 'total)((before, rows) =>
                '{
                  var inBlock = $before
                  ${ rows(element => '{ inBlock += ${ asDouble(element.value) } }) }
                  inBlock
                }
              )(after => '{ total = $after })
            }
            total
          loop()
        }.asExprOf[R]
      case _ =>
        withoutSum[A]("cannot be summed", s"$Integers, Float, Double, BigDecimal or Duration")

  private val Integers = "Byte, Short, Int, Long"

  /** Reports an operation of values of another type than those with a [[Summable]]. */
  private def withoutSum[A: Type](fault: String, types: String)(using Quotes): Nothing =
    import quotes.reflect.*
    val shown = TypeRepr.of[A].show(using Printer.TypeReprShortCode)
    report.errorAndAbort(s"values of type $shown $fault: map them to $types")

  def average[A: Type](view: Expr[View[A]])(using Quotes): Expr[Double] =
    Type.of[A] match
      case '[Byte | Short | Int | Long] =>
        '{
          def loop(): Double =
            var count = 0L
            var high = 0L
            var low = 0L
            ${
              def add(term: Expr[Long])(using Quotes) =
                '{
                  count += 1
                  low += $term & 0xffffffffL
                  high = Math.addExact(high, ($term >> 32) + (low >> 32))
                  low &= 0xffffffffL
                }
              Loop(view): element =>
                '{
                  val term = ${ asLong(element.value) }
                  ${ add('term) }
                }
            }
            Summable.mean(high, low, count)
          end loop
          loop()
        }
      case '[Float | Double] =>
        '{
          def loop(): Double =
            var count = 0L
            var total = 0d
            ${
              Loop(view): element =>
                '{
                  total += ${ asDouble(element.value) }
                  count += 1
                }
            }
            Summable.mean(total, count)
          loop()
        }
      case _ => withoutSum[A]("have no average", s"$Integers, Float or Double")

  def exactSum[A: Type](view: Expr[View[A]])(using Quotes): Expr[BigInt] =
    Type.of[A] match
      case '[Byte | Short | Int | Long] =>
        exactly(view, (high, low) => '{ Summable.exact($high, $low) })
      case _ => withoutSum[A]("have no exact sum", "Byte, Short, Int or Long")

  /** Adds Longs exactly, in two sums that a loop can keep in registers: the sum of the Longs modulo
    * 2^64, and the sum of their upper halves. Over a block the lower halves add up to less than
    * 2^63, so the difference of the two sums is exact. A block returns its sum if it fits in a
    * Long, else it throws both sums. The total is `high * 2^32 + low`, with `low` in [0, 2^32).
    */
  private def exactly[A: Type, R: Type](
      view: Expr[View[A]],
      result: Quotes ?=> (Expr[Long], Expr[Long]) => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      def loop(): R =
        var high = 0L
        var low = 0L
        ${
          Loop.blocks(view, '{ 0L })((before, rows) =>
            '{
              var upper = 0L
              var sum = $before
              ${
                def add(term: Expr[Long])(using Quotes) =
                  '{
                    upper += $term >> 32
                    sum += $term
                  }
                rows(element =>
                  '{
                    val term = ${ asLong(element.value) }
                    ${ add('term) }
                  }
                )
              }
              Summable.ofBlock(upper, sum)
            }
          )(block =>
            def add(upper: Expr[Long], lower: Expr[Long])(using Quotes) =
              '{
                low += $lower
                high = Math.addExact(high, $upper + (low >> 32))
                low &= 0xffffffffL
              }
            '{
              try
                val sum = $block
                ${ add('{ sum >> 32 }, '{ sum & 0xffffffffL }) }
              catch case wide: Summable.Wide => ${ add('{ wide.high }, '{ wide.low }) }
            }
          )
        }
        ${ result('high, 'low) }
      end loop
      loop()
    }

  def asLong(value: Expr[Any])(using Quotes): Expr[Long] = widened[Long](value, "toLong")

  private def asDouble(value: Expr[Any])(using Quotes): Expr[Double] =
    widened[Double](value, "toDouble")

  private def widened[A: Type](value: Expr[Any], method: String)(using Quotes): Expr[A] =
    import quotes.reflect.*
    if value.isExprOf[A] then value.asExprOf[A]
    else Select.unique(value.asTerm, method).asExprOf[A]
end FusedLoops
