package undercroft.struct
package internal.macros.maps

import internal.bytes.{FixedText, TextBytes}
import internal.macros.places.Bits
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.Shape

/** Computes the bytes of a small key as little-endian words, which a lookup compares without
  * storing the key.
  */
private[struct] object KeyWord:
  /** The largest key that is compared as words, in bytes. */
  inline val MaxBytes = 16

  /** Some bytes of a key, at an offset. */
  private final case class Piece(offset: Int, bytes: Int, bits: Expr[Long]):

    /** These bytes at their place in the word that starts at an offset, or None. */
    def in(start: Int)(using Quotes): Option[Expr[Long]] =
      val bit = (offset - start) * 8
      if bit >= 64 || start >= offset + bytes then None
      else if bit == 0 then Some(bits)
      else if bit > 0 then Some('{ $bits << ${ Expr(bit) } })
      else Some('{ $bits >>> ${ Expr(-bit) } })

  def admits(kind: Shape.Kind): Boolean = kind match
    case Shape.Kind.Text(_) => true
    case other              => !other.isCompound

  /** Computes the words of a key of `size` bytes from its parts, and continues with their names. */
  def bound[R: Type](size: Int, parts: List[(Shape.Leaf, Expr[Any])])(
      next: Quotes ?=> List[Expr[Long]] => Expr[R]
  )(using Quotes): Expr[R] =
    piecesOf(parts): pieces =>
      named(pieces.map(_.bits)): bits =>
        val evaluated = pieces.zip(bits).map((piece, name) => piece.copy(bits = name))
        val words = (0 until size by 8).toList.map: start =>
          evaluated.flatMap(_.in(start)).reduce((a, b) => '{ $a | $b })
        named(words)(next)

  private def piecesOf[R: Type](parts: List[(Shape.Leaf, Expr[Any])])(
      next: Quotes ?=> List[Piece] => Expr[R]
  )(using Quotes): Expr[R] = parts match
    case Nil => next(Nil)
    case (leaf, value) :: rest =>
      leaf.kind match
        case Shape.Kind.Text(n) =>
          textPieces(leaf, n, value.asExprOf[String])(text =>
            piecesOf(rest)(others => next(text ++ others))
          )
        case kind =>
          val piece = Piece(leaf.packed, kind.size, Bits.of(kind, value))
          piecesOf(rest)(others => next(piece :: others))

  /** The words of the only part of a key, a text of `n` bytes at most that is not checked yet. */
  def ofText[R: Type](leaf: Shape.Leaf, n: Int, value: Expr[String])(
      next: Quotes ?=> List[Expr[Long]] => Expr[R]
  )(using Quotes): Expr[R] =
    textPieces(leaf, n, value)(pieces => named(pieces.map(_.bits))(next))

  /** The words of a text of `n` bytes at most, given as the bytes `[from, until)` of a segment. */
  def ofBytes[R: Type](
      n: Int,
      segment: Expr[MemorySegment],
      from: Expr[Long],
      until: Expr[Long]
  )(next: Quotes ?=> List[Expr[Long]] => Expr[R])(using Quotes): Expr[R] =
    '{
      val size = TextBytes.size($segment, $from, $until, ${ Expr(n) })
      val low = TextBytes.word($segment, $from, $until, $from)
      val high = TextBytes.word($segment, $from, $until, $from + 8)
      TextBytes.check(low, high, size)
      ${ next(if n > 8 then List('low, 'high) else List('low)) }
    }

  /** The bytes of a text, which is checked, and read character by character only once. */
  private def textPieces[R: Type](leaf: Shape.Leaf, n: Int, value: Expr[String])(
      next: Quotes ?=> List[Piece] => Expr[R]
  )(using Quotes): Expr[R] =
    val starts = (0 until n by 8).toList
    '{
      val text = $value
      ${
        named(starts.map(from => '{ FixedText.asciiWord(text, ${ Expr(from) }) })): words =>
          '{
            val isAscii =
              FixedText.isAscii(${ words.reduce((a, b) => '{ $a | $b }) }, text, ${ Expr(n) })
            ${
              next(starts.zip(words).map: (from, word) =>
                val bits = '{ FixedText.fieldWord(text, ${ Expr(from) }, $word, isAscii) }
                Piece(leaf.packed + from, (n - from).min(8), bits))
            }
          }
      }
    }

  /** Evaluates expressions in order, and continues with their names. */
  private def named[R: Type](values: List[Expr[Long]])(
      next: Quotes ?=> List[Expr[Long]] => Expr[R]
  )(using Quotes): Expr[R] = values match
    case Nil => next(Nil)
    case first :: rest =>
      '{
        val word = $first
        ${ named(rest)(names => next('word :: names)) }
      }
end KeyWord
