package undercroft.struct
package internal.macros.loops

import internal.bytes.RunBytes
import internal.macros.places.{RowPlace, SnapshotPlace}
import internal.macros.schema.{LayoutCheck, ShapeDerivation}
import undercroft.memory.internal.cage.Cage
import scala.quoted.*
import undercroft.struct.*

/** Generates loops over the structs of a [[RowsRef]]. The numbers of a struct that the loop needs
  * are read, then checked, and only then used.
  */
private[struct] object RunLoops:

  def apply[T: Type](run: Expr[RowsRef[T]])(
      running: Option[Expr[Boolean]],
      block: Quotes ?=> LoopSource.Places => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    val (fingerprint, text) = LayoutCheck.constants[T]
    val stride = Expr(ShapeDerivation.shape[T].packedSize.toLong)
    '{
      val bound = $run
      val start = RunBytes.begin(bound, $fingerprint, $text)
      val size = RunBytes.count(bound.byteLength, $stride)
      var done = 0L
      while ${ TableLoops.whileLess('done, 'size, running) } do
        val from = Cage.moved(start, done * $stride)
        val count = RunBytes.inPage(from, $stride, size - done)
        val first = RunBytes.page(from, 0)
        val last = RunBytes.page(from, count * $stride - 1)
        ${
          block: body =>
            TableLoops.indices('count, running): i =>
              '{
                val bits = Cage.moved(from, $i * $stride)
                val base = Cage.within(Cage.placeOf(bits))
                ${
                  SnapshotPlace(
                    'bits,
                    RowPlace('{ Cage.open }, 'base, packed = true),
                    '{ RunBytes.confirm(bits, $stride, first, last) }
                  )(place => body(place))
                }
              }
        }
        done += count
      end while
    }
  end apply
end RunLoops
