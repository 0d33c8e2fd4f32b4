package undercroft.arrow
package internal.exchange

import java.lang.foreign.Arena
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

/** The memory of exported structs of C, freed when the consumer has released all of them. A
  * consumer may move a child out of its parent, so each struct counts for itself. Usable by any
  * thread.
  *
  * @param unreleased
  *   the number of memories of an export that are not freed yet
  */
private[arrow] final class ExportedMemory(unreleased: AtomicInteger):
  val arena: Arena = Arena.ofShared().nn
  private val open = AtomicInteger(0)
  private val number = ExportedMemory.add(this)
  unreleased.incrementAndGet: Unit

  /** Counts another struct; returns its private data. */
  def addStruct(): Long =
    val _ = open.incrementAndGet
    number

  def releaseStruct(): Unit = if open.decrementAndGet == 0 then free()

  /** Frees the memory of an export that has failed. */
  def free(): Unit =
    ExportedMemory.remove(number)
    arena.close()
    val _ = unreleased.decrementAndGet
end ExportedMemory

/** The exported memory by the numbers that consumers have as private data, so that a callback never
  * follows an address of its own.
  */
private[arrow] object ExportedMemory:
  private val memories = ConcurrentHashMap[Long, ExportedMemory]()
  private val numbers = AtomicLong(1)

  private def add(memory: ExportedMemory): Long =
    val number = numbers.getAndIncrement
    val _ = memories.put(number, memory)
    number

  private def remove(number: Long): Unit =
    val _ = memories.remove(number)

  def get(number: Long): Option[ExportedMemory] = Option(memories.get(number))

  /** The number of exports that are not freed. */
  def count: Int = memories.size
end ExportedMemory
