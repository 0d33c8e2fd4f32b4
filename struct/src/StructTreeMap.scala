package undercroft.struct

import internal.bytes.Fingerprint
import internal.macros.maps.TreeAccess
import internal.tree.TreeTable
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** An off-heap map from keys to values, in the order of the keys.
  *
  * {{{
  * import undercroft.memory.*
  * Region.scoped:
  *   val asks = StructTreeMap[Int, Long]() // the quantity at each price
  *   asks(102) = 5L
  *   asks(101) = 3L
  *   asks.updateOrElse(101, 0L)(_ + 4)
  *   println(asks.firstKey) // 101
  *   asks.foreach((price, quantity) => println((price, quantity))) // (101,7), then (102,5)
  * }}}
  *
  * A key is a primitive, a type that is stored as one, such as an enum or an opaque type, or a
  * struct or tuple of these, of at most 16 bytes; its first part counts first. Numbers and chars
  * are in their order, -0.0 before 0.0 and NaN behind all, false before true, and an enum's cases
  * as they are declared. A value is a primitive or has a [[Struct]]. The types must be known where
  * an operation is compiled.
  *
  * Entries are in the leaves of a B+-tree, in nodes of 1 KiB or of 16 entries if these are larger.
  * The cost of an operation by a key is O(log n). Keys that are added in ascending order fill their
  * nodes, others fill two thirds; a node is freed for other entries when its last one is removed.
  * An entry has the bytes of its value, rounded up to 4, and 8 bytes of its key, or 16 if that has
  * more than 8. No operation below allocates on the heap, unless it says so or the key or value is
  * an object. A map that outgrows 1 MiB copies its nodes once.
  *
  * It has the lifetime, the threads and the errors of a [[StructMap]].
  */
final class StructTreeMap[K, V] @publicInBinary private[struct] (
    private[struct] val table: TreeTable,
    private[struct] val fingerprint: Long,
    private[struct] val layout: String
) extends AutoCloseable:

  /** The entries, for code that was compiled for their layout. */
  @publicInBinary private[struct] def tableOf(compiled: Long, text: String): TreeTable =
    if compiled != fingerprint then Fingerprint.differ("a StructTreeMap", text, layout)
    table

  /** The number of keys. */
  def size: Long = table.openSize
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  /** The value of a key; throws NoSuchElementException if absent. */
  inline def apply(inline key: K): V = ${ TreeAccess.apply('this, 'key) }

  /** The value of a key, or `default`, which is evaluated only if the key is absent. */
  inline def getOrElse(inline key: K, inline default: V): V =
    ${ TreeAccess.getOrElse('this, 'key, 'default) }

  /** The value of a key as an Option, which is allocated. */
  inline def get(inline key: K): Option[V] = ${ TreeAccess.get('this, 'key) }
  inline def contains(inline key: K): Boolean = ${ TreeAccess.contains('this, 'key) }

  /** Stores the value of a key, and adds the key if absent. If evaluating the value throws, nothing
    * changes.
    */
  inline def update(inline key: K, inline value: V): Unit =
    ${ TreeAccess.update('this, 'key, 'value) }

  /** Stores the result of `f` on the value of a key, or on `zero` if the key is new, as
    * [[StructMap.updateOrElse]]. `f` must not change the map.
    */
  inline def updateOrElse(inline key: K, inline zero: V)(inline f: V => V): Unit =
    ${ TreeAccess.updateOrElse('this, 'key, 'zero, 'f) }

  /** The value of a key; if it is absent, evaluates `default`, and adds the key with that value, as
    * [[StructMap.getOrElseUpdate]].
    *
    * {{{
    * val asks = StructTreeMap[Int, Long]()
    * println(asks.getOrElseUpdate(101, 3L)) // 3
    * println(asks.getOrElseUpdate(101, 4L)) // 3
    * }}}
    */
  inline def getOrElseUpdate(inline key: K, inline default: V): V =
    ${ TreeAccess.getOrElseUpdate('this, 'key, 'default) }

  /** Adds a key with a value unless it is present; returns whether it was absent, as
    * [[StructMap.putIfAbsent]].
    */
  inline def putIfAbsent(inline key: K, inline value: V): Boolean =
    ${ TreeAccess.putIfAbsent('this, 'key, 'value) }

  /** Removes a key and its value; returns whether it was present. */
  inline def remove(inline key: K): Boolean = ${ TreeAccess.remove('this, 'key) }

  /** The smallest key; throws NoSuchElementException if the map is empty. */
  inline def firstKey: K = ${ TreeAccess.firstKey('this) }

  /** The largest key; throws NoSuchElementException if the map is empty. */
  inline def lastKey: K = ${ TreeAccess.lastKey('this) }

  /** The largest key that is not above a key, or `default`, which is evaluated only if there is
    * none.
    *
    * {{{
    * val temperatures = StructTreeMap[Long, Double]() // by time
    * temperatures(60L) = 20.5
    * println(temperatures.floorKey(90L, -1L)) // 60
    * println(temperatures.floorKey(59L, -1L)) // -1
    * }}}
    */
  inline def floorKey(inline key: K, inline default: K): K =
    ${ TreeAccess.floorKey('this, 'key, 'default) }

  /** The smallest key that is not below a key, or `default`, as [[floorKey]]. */
  inline def ceilingKey(inline key: K, inline default: K): K =
    ${ TreeAccess.ceilingKey('this, 'key, 'default) }

  /** The largest key below a key, or `default`, as [[floorKey]]. */
  inline def lowerKey(inline key: K, inline default: K): K =
    ${ TreeAccess.lowerKey('this, 'key, 'default) }

  /** The smallest key above a key, or `default`, as [[floorKey]]. */
  inline def higherKey(inline key: K, inline default: K): K =
    ${ TreeAccess.higherKey('this, 'key, 'default) }

  /** Calls `f` with each key and its value, in ascending order. Adding or removing keys meanwhile
    * throws ConcurrentModificationException.
    */
  inline def foreach(inline f: (K, V) => Any): Unit = ${ TreeAccess.foreach('this, 'f) }

  /** As [[foreach]], for the keys from `from` on that are below `until`.
    *
    * {{{
    * val sales = StructTreeMap[Long, Long]() // by time
    * for minute <- 1L to 5L do sales(minute * 60) = minute
    * var sum = 0L
    * sales.foreachIn(120L, 240L)((_, amount) => sum += amount)
    * println(sum) // 5
    * }}}
    */
  inline def foreachIn(inline from: K, inline until: K)(inline f: (K, V) => Any): Unit =
    ${ TreeAccess.foreachIn('this, 'from, 'until, 'f) }

  /** The keys with their values in ascending order, each read when it is asked for; allocates them.
    * After a key was added or removed, `next` throws ConcurrentModificationException.
    */
  inline def iterator: Iterator[(K, V)] = ${ TreeAccess.iterator('this) }

  /** Removes all keys, and frees their memory. */
  def clear(): Unit =
    try table.clear()
    catch case error: RuntimeException => throw table.translate(error)

  /** Frees the map before its allocator's owner does. */
  def close(): Unit = table.close()

  override def toString: String =
    if table.isClosed then "closed StructTreeMap" else s"StructTreeMap of $size keys"
end StructTreeMap

object StructTreeMap:
  /** An empty map. */
  inline def apply[K, V]()(using allocator: Allocator): StructTreeMap[K, V] =
    ${ TreeAccess.make[K, V]('allocator) }
end StructTreeMap
