package undercroft.arrow
package internal.ipc

import internal.io.ArrowOutput
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.mutable.ArrayBuffer

/** A buffer of a batch: its size and the function that writes it.
  *
  * @param address
  *   the address of the same bytes in the table's memory, or 0
  */
private[arrow] final case class BufferPlan(
    bytes: Long,
    write: ArrowOutput => Unit,
    address: Long = 0
)

/** A record batch: field nodes and buffers in Arrow's order. Confined to one thread. */
private[arrow] final class BatchPlan(val rows: Int) extends AutoCloseable:
  /** Row count and null count of each field. */
  val nodes: ArrayBuffer[(Long, Long)] = ArrayBuffer()
  val parts: ArrayBuffer[BufferPlan] = ArrayBuffer()

  private var arena: Option[Arena] = None

  /** Memory that is freed at the close, when the buffers are written. */
  def temporary(bytes: Long): MemorySegment =
    val open = arena.getOrElse(Arena.ofConfined().nn)
    arena = Some(open)
    open.allocate(bytes, 8).nn

  /** Ends the planning of values that are too many for one batch; runs `single` if it has one row.
    */
  def splitOr(single: => Unit): Unit = if rows > 1 then throw BatchPlan.TooLarge else single

  def close(): Unit =
    arena.foreach(_.close())
    arena = None
end BatchPlan

private[arrow] object BatchPlan:
  /** Reports that the rows of a batch have to be fewer. */
  object TooLarge extends RuntimeException("", null, false, false)

  /** A batch with the values of a dictionary. */
  def of(names: Vector[String]): BatchPlan =
    val planned = BatchPlan(names.size)
    val texts = names.map(_.getBytes(UTF_8).nn)
    val ends = MemorySegment.ofArray(texts.scanLeft(0)(_ + _.length).toArray).nn
    planned.nodes += ((names.size.toLong, 0L))
    planned.parts += BufferPlan(0, _ => ())
    planned.parts += BufferPlan(ends.byteSize, output => output.put(ends, 0, 4, 4, names.size + 1L))
    planned.parts += BufferPlan(
      texts.map(_.length).sum,
      output => texts.foreach(text => output.put(text, text.length))
    )
    planned
end BatchPlan
