package undercroft.arrow
package internal.exchange

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import scala.collection.mutable.Queue

/** The rows of an `ArrowArrayStream`: its schema, and the arrays that are not fetched yet. Usable
  * by any thread.
  *
  * @param arrays
  *   addresses of `ArrowArray` structs in memory of their own
  */
private[arrow] final class ExportedStream(
    schema: ExportedSchema,
    arrays: Queue[Long],
    unreleased: AtomicInteger
):
  import CStructs.*

  private val number = ExportedStream.add(this)
  unreleased.incrementAndGet: Unit

  /** Fills the consumer's `ArrowArrayStream`. */
  def putStream(target: Long): Unit =
    setLong(target + Stream.GetSchema, ArrowCallbacks.getSchema)
    setLong(target + Stream.GetNext, ArrowCallbacks.getNext)
    setLong(target + Stream.GetLastError, ArrowCallbacks.getLastError)
    setLong(target + Stream.Release, ArrowCallbacks.releaseStream)
    setLong(target + Stream.PrivateData, number)

  /** Fills the consumer's `ArrowSchema`. */
  def putSchema(target: Long): Unit = schema.put(target, unreleased)

  /** Moves the next array to the consumer's `ArrowArray`, or marks that as the end. */
  def putNext(target: Long): Unit = synchronized:
    if arrays.isEmpty then setLong(target + Array.Release, 0)
    else bytes(target, Array.Bytes).copyFrom(bytes(arrays.dequeue(), Array.Bytes)): Unit

  private def release(): Unit = synchronized:
    while arrays.nonEmpty do ArrowCallbacks.releasedArray(arrays.dequeue())
    unreleased.decrementAndGet: Unit
end ExportedStream

private[arrow] object ExportedStream:
  private val streams = ConcurrentHashMap[Long, ExportedStream]()
  private val numbers = AtomicLong(1)

  private def add(stream: ExportedStream): Long =
    val number = numbers.getAndIncrement
    val _ = streams.put(number, stream)
    number

  /** The stream with a number; throws if it is released. */
  def get(number: Long): ExportedStream = Option(streams.get(number)).getOrElse:
    throw IllegalStateException(s"stream $number is released")

  def release(number: Long): Unit = Option(streams.remove(number)).foreach(_.release())

  /** The number of streams that are not released. */
  def count: Int = streams.size
end ExportedStream
