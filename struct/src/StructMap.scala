package undercroft.struct

import internal.bytes.Fingerprint
import internal.hash.HashTable
import internal.macros.maps.{MapAccess, MapLoops}
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** An off-heap hash map from keys to values that are primitives or have a [[Struct]].
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
  * Entries are stored by open addressing without padding: key and value, rounded up to 4 bytes,
  * plus free space for a quarter of an entry to one and a half entries each. No operation below
  * allocates on the heap, unless it says so or the key or value is an object; a growth or `clear`
  * allocates a few objects, and in shared memory so may a thread's use of a key that has more than
  * 16 bytes, or parts other than primitives and texts. Keys are equal if their bits are: 0.0 and
  * -0.0 are two keys. The types must be known where an operation is compiled.
  *
  * It doubles in place when four fifths are taken, moving a few entries at each new key. Its memory
  * is committed in steps before. A map that outgrows 1 MiB copies its entries to a second table
  * once; otherwise no operation waits for all of them to move. A new key for which there is no
  * memory throws MemoryLimitException, and the map is unchanged. The map is freed with the
  * allocator's owner, or earlier by [[close]]; then every use but `toString` throws
  * StaleReferenceException, which names the owner.
  *
  * One thread at a time may change the map, among the threads that may use the allocator's memory;
  * any number may look up keys while none changes it, and a lookup writes nothing. In a shared
  * region, and in [[undercroft.memory.Malloc]], a change or a lookup concurrent with a change by
  * another thread throws ConcurrentModificationException and has no effect. Hashing is seeded with
  * random secrets of each map against hash flooding, so the order of [[foreach]] differs from map
  * to map; the hash is the multiplication of wyhash, and not cryptographic.
  */
final class StructMap[K, V] @publicInBinary private[struct] (
    private[struct] val table: HashTable,
    private[struct] val fingerprint: Long,
    private[struct] val layout: String
) extends AutoCloseable:

  /** The entries, for code that was compiled for their layout. */
  @publicInBinary private[struct] def tableOf(compiled: Long, text: String): HashTable =
    if compiled != fingerprint then Fingerprint.differ("a StructMap", text, layout)
    table

  /** The number of keys. */
  def size: Long = table.openSize
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  /** The value of a key; throws NoSuchElementException if absent.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * prices(7) = 250L
    * println(prices(7)) // 250
    * try println(prices(8))
    * catch case _: NoSuchElementException => println("no key 8") // no key 8
    * }}}
    */
  inline def apply(inline key: K): V = ${ MapAccess.apply('this, 'key) }

  /** The value of a key, or `default`, which is evaluated only if the key is absent.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * println(prices.getOrElse(7, 0L)) // 0
    * }}}
    */
  inline def getOrElse(inline key: K, inline default: V): V =
    ${ MapAccess.getOrElse('this, 'key, 'default) }

  /** The value of a key as an Option, which is allocated.
    *
    * {{{
    * val bills = StructMap[Int, Bill]()
    * bills(7) = Bill(7, 250)
    * println(bills.get(7)) // Some(Bill(7,250))
    * println(bills.get(8)) // None
    * }}}
    */
  inline def get(inline key: K): Option[V] = ${ MapAccess.get('this, 'key) }
  inline def contains(inline key: K): Boolean = ${ MapAccess.contains('this, 'key) }

  /** Stores the value of a key, and adds the key if absent. If evaluating the value throws, nothing
    * changes.
    *
    * {{{
    * val prices = StructMap[(Int, Int), Long](expected = 1000)
    * prices((1, 2)) = 250L
    * println(prices.size) // 1
    * }}}
    */
  inline def update(inline key: K, inline value: V): Unit =
    ${ MapAccess.update('this, 'key, 'value) }

  /** Stores the result of `f` on the value of a key, or on `zero` if the key is new. Unlike Scala's
    * `updateWith` it allocates no Option. If `f` adds or removes keys of this map,
    * ConcurrentModificationException is thrown. In shared memory `f` must not change the map at
    * all, nor any other thread meanwhile, or ConcurrentModificationException is thrown and nothing
    * is stored.
    *
    * {{{
    * val counts = StructMap[Int, Int]()
    * for ticket <- List(7, 8, 7) do counts.updateOrElse(ticket, 0)(_ + 1)
    * println(counts(7)) // 2
    * }}}
    */
  inline def updateOrElse(inline key: K, inline zero: V)(inline f: V => V): Unit =
    ${ MapAccess.updateOrElse('this, 'key, 'zero, 'f) }

  /** The value of a key; if it is absent, evaluates `default`, and adds the key with that value.
    * `default` must not change the map, as in [[updateOrElse]]. If it throws, nothing changes.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * println(prices.getOrElseUpdate(7, 250L)) // 250
    * println(prices.getOrElseUpdate(7, 251L)) // 250
    * }}}
    */
  inline def getOrElseUpdate(inline key: K, inline default: V): V =
    ${ MapAccess.getOrElseUpdate('this, 'key, 'default) }

  /** Adds a key with a value unless it is present; returns whether it was absent. The value is
    * evaluated only then, and must not change the map, as in [[updateOrElse]].
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * println(prices.putIfAbsent(7, 250L)) // true
    * println(prices.putIfAbsent(7, 251L)) // false
    * println(prices(7)) // 250
    * }}}
    */
  inline def putIfAbsent(inline key: K, inline value: V): Boolean =
    ${ MapAccess.putIfAbsent('this, 'key, 'value) }

  /** Removes a key and its value; returns whether it was present.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * prices(7) = 250L
    * println(prices.remove(7)) // true
    * println(prices.remove(7)) // false
    * }}}
    */
  inline def remove(inline key: K): Boolean = ${ MapAccess.remove('this, 'key) }

  /** Removes the keys that satisfy `p` with their values; returns how many. O(n) for the capacity;
    * frees no memory. `p` is called once for each key, and must not change the map, as in
    * [[updateOrElse]]; if it throws, the keys that it chose before are removed.
    *
    * {{{
    * val prices = StructMap.from(List(7 -> 250L, 8 -> 260L, 9 -> 270L))
    * println(prices.removeIf((_, price) => price > 255)) // 2
    * println(prices.toMap) // Map(7 -> 250)
    * }}}
    */
  inline def removeIf(inline p: (K, V) => Boolean): Long = ${ MapLoops.removeIf('this, 'p) }

  /** How many keys satisfy `p` with their values.
    *
    * {{{
    * val prices = StructMap.from(List(7 -> 250L, 8 -> 260L))
    * println(prices.count((ticket, price) => ticket < 9 && price > 255)) // 1
    * }}}
    */
  inline def count(inline p: (K, V) => Boolean): Long = ${ MapLoops.count('this, 'p) }

  /** The keys, in no defined order, each read when an operation runs. Unlike [[foreach]], its loops
    * allocate, and call their functions one by one. Adding or removing keys meanwhile throws
    * ConcurrentModificationException.
    *
    * {{{
    * val prices = StructMap.from(List(7 -> 250L, 8 -> 260L))
    * println(prices.keys.max) // 8
    * }}}
    */
  inline def keys: View[K] = ${ MapLoops.keys('this) }

  /** The values in the order of [[keys]], read as these are.
    *
    * {{{
    * val prices = StructMap.from(List(7 -> 250L, 8 -> 260L))
    * println(prices.values.sum) // 510
    * }}}
    */
  inline def values: View[V] = ${ MapLoops.values('this) }

  /** The keys with their values, each read when it is asked for; allocates them. After a key was
    * added or removed, `next` throws ConcurrentModificationException.
    *
    * {{{
    * val prices = StructMap.from(List(7 -> 250L))
    * println(prices.iterator.next()) // (7,250)
    * }}}
    */
  inline def iterator: Iterator[(K, V)] = ${ MapLoops.iterator('this) }

  /** A Map on the heap with the same entries; allocates them.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * prices(7) = 250L
    * println(prices.toMap) // Map(7 -> 250)
    * }}}
    */
  inline def toMap: Map[K, V] = Map.from(iterator)

  /** Calls `f` with each key and its value, in no defined order. Adding or removing keys meanwhile
    * throws ConcurrentModificationException.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * prices(7) = 250L
    * prices.foreach((ticket, price) => println((ticket, price))) // (7,250)
    * }}}
    */
  inline def foreach(inline f: (K, V) => Any): Unit = ${ MapLoops.foreach('this, 'f) }

  /** Removes all keys, and frees their memory.
    *
    * {{{
    * val prices = StructMap[Int, Long]()
    * prices(7) = 250L
    * prices.clear()
    * println(prices.isEmpty) // true
    * }}}
    */
  def clear(): Unit =
    try table.clear()
    catch case error: RuntimeException => throw table.translate(error)

  /** Frees the map before its allocator's owner does.
    *
    * {{{
    * import undercroft.memory.*
    * val prices = StructMap[Int, Long]()
    * prices.close()
    * try println(prices.getOrElse(7, 0L))
    * catch case _: StaleReferenceException => println("closed") // closed
    * }}}
    */
  def close(): Unit = table.close()

  override def toString: String =
    if table.isClosed then "closed StructMap" else s"StructMap of $size keys"
end StructMap

object StructMap:
  /** An empty map with room for `expected` keys.
    *
    * {{{
    * import undercroft.memory.*
    * val shared = StructMap[Int, Long](expected = 1_000_000)(using Malloc)
    * println(shared.isEmpty) // true
    * shared.close()
    * }}}
    */
  inline def apply[K, V](expected: Long = 0)(using allocator: Allocator): StructMap[K, V] =
    ${ MapAccess.make[K, V]('expected, 'allocator) }

  /** A map of the given entries; of equal keys the last value counts. If evaluating them throws,
    * the map is freed.
    *
    * {{{
    * val prices = StructMap.from(Map(7 -> 250L, 8 -> 260L))
    * println(prices(8)) // 260
    * }}}
    */
  inline def from[K, V](entries: IterableOnce[(K, V)])(using
      allocator: Allocator
  ): StructMap[K, V] =
    val map = apply[K, V](expected = entries.knownSize.max(0).toLong)
    closedOnFailure(map)(entries.iterator.foreach((key, value) => map(key) = value))
    map

  /** Runs `fill`, and closes `unfinished` if that fails. */
  @publicInBinary private[struct] def closedOnFailure(unfinished: AutoCloseable)(
      fill: => Unit
  ): Unit =
    try fill
    catch
      case error: Throwable =>
        unfinished.close()
        throw error
end StructMap

/** An off-heap hash set of primitives or structs: see [[StructMap]] for its layout, growth,
  * lifetime, threads and errors.
  *
  * {{{
  * import undercroft.memory.*
  * Region.scoped:
  *   val seen = StructSet[Int]()
  *   println(seen.add(7)) // true: 7 is new
  *   println(seen.contains(8))
  * }}}
  */
final class StructSet[K] @publicInBinary private[struct] (
    private[struct] val table: HashTable,
    private[struct] val fingerprint: Long,
    private[struct] val layout: String
) extends AutoCloseable:

  /** The entries, for code that was compiled for their layout. */
  @publicInBinary private[struct] def tableOf(compiled: Long, text: String): HashTable =
    if compiled != fingerprint then Fingerprint.differ("a StructSet", text, layout)
    table

  /** The number of keys. */
  def size: Long = table.openSize
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  inline def contains(inline key: K): Boolean = ${ MapAccess.isIn('this, 'key) }

  /** Adds a key; returns whether it was absent.
    *
    * {{{
    * val seen = StructSet[Int]()
    * println(seen.add(7)) // true
    * println(seen.add(7)) // false
    * }}}
    */
  inline def add(inline key: K): Boolean = ${ MapAccess.add('this, 'key) }

  /** Removes a key; returns whether it was present.
    *
    * {{{
    * val seen = StructSet[Int]()
    * seen.add(7)
    * println(seen.remove(7)) // true
    * println(seen.size) // 0
    * }}}
    */
  inline def remove(inline key: K): Boolean = ${ MapAccess.takeOut('this, 'key) }

  /** Removes the keys that satisfy `p`; returns how many, as [[StructMap.removeIf]].
    *
    * {{{
    * val seen = StructSet.from(List(7, 8, 9))
    * println(seen.removeIf(_ > 7)) // 2
    * println(seen.toSet) // Set(7)
    * }}}
    */
  inline def removeIf(inline p: K => Boolean): Long = ${ MapLoops.removeKeysIf('this, 'p) }

  /** How many keys satisfy `p`. */
  inline def count(inline p: K => Boolean): Long = ${ MapLoops.countKeys('this, 'p) }

  /** The keys, in no defined order, as [[StructMap.keys]].
    *
    * {{{
    * println(StructSet.from(List(7, 8)).keys.max) // 8
    * }}}
    */
  inline def keys: View[K] = ${ MapLoops.keysOf('this) }

  /** The keys, each read when it is asked for, as [[StructMap.iterator]]. */
  inline def iterator: Iterator[K] = keys.iterator

  /** A Set on the heap with the same keys; allocates them. */
  inline def toSet: Set[K] = Set.from(iterator)

  /** Calls `f` with each key, in no defined order. Adding or removing keys meanwhile throws
    * ConcurrentModificationException.
    *
    * {{{
    * val seen = StructSet[Int]()
    * seen.add(7)
    * seen.foreach(println(_)) // 7
    * }}}
    */
  inline def foreach(inline f: K => Any): Unit = ${ MapLoops.each('this, 'f) }

  /** Removes all keys, and frees their memory. */
  def clear(): Unit =
    try table.clear()
    catch case error: RuntimeException => throw table.translate(error)

  /** Frees the set before its allocator's owner does. */
  def close(): Unit = table.close()

  override def toString: String =
    if table.isClosed then "closed StructSet" else s"StructSet of $size keys"
end StructSet

object StructSet:
  /** An empty set with room for `expected` keys.
    *
    * {{{
    * val seen = StructSet[(Int, Int)](expected = 1000)
    * println(seen.add((1, 2))) // true
    * println(seen.contains((1, 2))) // true
    * }}}
    */
  inline def apply[K](expected: Long = 0)(using allocator: Allocator): StructSet[K] =
    ${ MapAccess.makeSet[K]('expected, 'allocator) }

  /** A set of the given keys. If evaluating them throws, the set is freed.
    *
    * {{{
    * println(StructSet.from(List(7, 8, 7)).size) // 2
    * }}}
    */
  inline def from[K](keys: IterableOnce[K])(using allocator: Allocator): StructSet[K] =
    val set = apply[K](expected = keys.knownSize.max(0).toLong)
    StructMap.closedOnFailure(set)(keys.iterator.foreach(key => set.add(key)))
    set
end StructSet
