package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.internal.Maps

/** A hash map outside the heap, from keys to values that are primitives or have a [[Struct]].
  *
  * {{{
  * import undercroft.memory.*
  * Region.scoped:
  *   val prices = StructMap[Int, Long]()
  *   prices(7) = 250L
  *   prices.updateOrElse(7, 0L)(_ + 1)
  *   prices.getOrElse(8, 0L)
  * }}}
  *
  * Entries lie in open addressing without padding: key and value, rounded up to 4 bytes, and room
  * for a half to a full entry more. No operation below makes an object, unless it says so or the
  * key or value is one. Keys are the same if their bits are: 0.0 and -0.0 are two keys. The types
  * have to be known where an operation is compiled.
  *
  * It grows by itself, a few entries at each new key, so no operation waits for all of them to
  * move. While it grows it holds its old and its new memory. A new key for which there is none is a
  * MemoryLimitException; the map stays as it was. It dies with the allocator's owner, or earlier by
  * [[close]]; then every use is a StaleReferenceException that names the owner.
  *
  * For one thread at a time, of those that may use the allocator's memory. How keys are spread, and
  * so the order of [[foreach]], differs from map to map, by secrets that keep those who choose keys
  * from choosing colliding ones: it is the multiplication of wyhash, and not cryptographic.
  */
final class StructMap[K, V] @publicInBinary private[struct] (
    @publicInBinary private[struct] val table: HashTable
) extends AutoCloseable:

  /** How many keys there are. */
  def size: Long = table.size
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  /** The value of a key; NoSuchElementException where there is none. */
  inline def apply(inline key: K): V = ${ Maps.apply('this, 'key) }

  /** The value of a key, or `default`, which is only evaluated then. */
  inline def getOrElse(inline key: K, inline default: V): V =
    ${ Maps.getOrElse('this, 'key, 'default) }

  /** The value of a key, as an object. */
  inline def get(inline key: K): Option[V] = ${ Maps.get('this, 'key) }
  inline def contains(inline key: K): Boolean = ${ Maps.contains('this, 'key) }

  /** Stores the value of a key, which need not be there yet. If the value throws, nothing changes.
    */
  inline def update(inline key: K, inline value: V): Unit = ${ Maps.update('this, 'key, 'value) }

  /** Stores what `f` makes of the value of a key, or of `zero` if the key is new. `f` must not add
    * or remove keys of this map: that is a ConcurrentModificationException.
    */
  inline def updateOrElse(inline key: K, inline zero: V)(inline f: V => V): Unit =
    ${ Maps.updateOrElse('this, 'key, 'zero, 'f) }

  /** Takes a key and its value out, and tells whether it was there. */
  inline def remove(inline key: K): Boolean = ${ Maps.remove('this, 'key) }

  /** Hands each key and its value to `f`, in no order. Keys must not come or go meanwhile: that is
    * a ConcurrentModificationException.
    */
  inline def foreach(inline f: (K, V) => Any): Unit = ${ Maps.foreach('this, 'f) }

  /** Removes everything, and gives its memory back. */
  def clear(): Unit =
    try table.clear()
    catch case error: RuntimeException => throw table.explained(error)

  /** Frees the map before its allocator's owner does. */
  def close(): Unit = table.close()

  override def toString: String = s"StructMap of $size keys"
end StructMap

object StructMap:
  /** An empty map with room for as many keys as are `expected`. */
  inline def apply[K, V](expected: Long = 0)(using allocator: Allocator): StructMap[K, V] =
    ${ Maps.make[K, V]('expected, 'allocator) }

/** A hash set outside the heap, of primitives or structs: see [[StructMap]] for how it lies, grows
  * and ends, and for its errors.
  */
final class StructSet[K] @publicInBinary private[struct] (
    @publicInBinary private[struct] val table: HashTable
) extends AutoCloseable:

  /** How many keys there are. */
  def size: Long = table.size
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  inline def contains(inline key: K): Boolean = ${ Maps.isIn('this, 'key) }

  /** Adds a key, and tells whether it was not there. */
  inline def add(inline key: K): Boolean = ${ Maps.add('this, 'key) }

  /** Takes a key out, and tells whether it was there. */
  inline def remove(inline key: K): Boolean = ${ Maps.takeOut('this, 'key) }

  /** Hands each key to `f`, in no order. Keys must not come or go meanwhile: that is a
    * ConcurrentModificationException.
    */
  inline def foreach(inline f: K => Any): Unit = ${ Maps.each('this, 'f) }

  /** Removes everything, and gives its memory back. */
  def clear(): Unit =
    try table.clear()
    catch case error: RuntimeException => throw table.explained(error)

  /** Frees the set before its allocator's owner does. */
  def close(): Unit = table.close()

  override def toString: String = s"StructSet of $size keys"
end StructSet

object StructSet:
  /** An empty set with room for as many keys as are `expected`. */
  inline def apply[K](expected: Long = 0)(using allocator: Allocator): StructSet[K] =
    ${ Maps.makeSet[K]('expected, 'allocator) }
