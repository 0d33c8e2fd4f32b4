package undercroft.arrow

import java.lang.foreign.MemorySegment
import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.mutable.ArrayBuffer

/** A buffer of a batch: how long it is, and how it is written. */
private[arrow] final case class Part(bytes: Long, write: Output => Unit)

/** A record batch: Arrow's nodes and buffers of each field, in their order. */
private[arrow] final class Planned(val rows: Int):
  /** Rows and nulls of each field. */
  val nodes: ArrayBuffer[(Long, Long)] = ArrayBuffer()
  val parts: ArrayBuffer[Part] = ArrayBuffer()

private[arrow] object Planned:

  /** The values of a dictionary. */
  def of(names: Vector[String]): Planned =
    val planned = Planned(names.size)
    val texts = names.map(_.getBytes(UTF_8).nn)
    val ends = MemorySegment.ofArray(texts.scanLeft(0)(_ + _.length).toArray).nn
    planned.nodes += ((names.size.toLong, 0L))
    planned.parts += Part(0, _ => ())
    planned.parts += Part(ends.byteSize, output => output.put(ends, 0, 4, 4, names.size + 1L))
    planned.parts += Part(
      texts.map(_.length).sum,
      output => texts.foreach(text => output.put(text, text.length))
    )
    planned
end Planned
