package undercroft.struct
package internal.tree

import internal.entries.EntryMemory
import java.lang.foreign.MemorySegment
import undercroft.memory.Allocator
import undercroft.memory.internal.cage.Cage

/** Nodes of a B+-tree, all of one size, in a separate reservation.
  *
  * ```text
  *  0       4      8          16
  *  +-------+------+----------+-- capacity keys --+-- capacity values, or children --+
  *  | count | next | previous | key | key | ...   | value | value | ...              |
  *  +-------+------+----------+-------------------+----------------------------------+
  * ```
  *
  * The keys of a node are in order: a key is one or two words, compared as signed numbers, the
  * first word first. A leaf has a value for each key, and the numbers of the leaves beside it; an
  * inner node has for each key the number of a child, whose keys are not below it. The first key of
  * an inner node is not compared.
  *
  * A node is named by its place. A count that another thread disturbs is limited to the capacity,
  * and every place is within the cage, so no search reads other memory or does not end.
  */
private[struct] final class TreeNodes(
    val keyBytes: Int,
    val valueBytes: Int,
    allocator: Allocator,
    spanBytes: Long,
    onClose: EntryMemory => Unit
) extends EntryMemory(allocator, spanBytes.max(TreeNodes.sizeOf(keyBytes, valueBytes)), onClose):
  import TreeNodes.*

  private val nodeBytes = sizeOf(keyBytes, valueBytes)
  private val nodeShift = java.lang.Long.numberOfTrailingZeros(nodeBytes)
  private val keyShift = Integer.numberOfTrailingZeros(keyBytes)

  /** The most entries of a leaf. */
  val leafCapacity: Int = ((nodeBytes - Header) / (keyBytes + valueBytes)).toInt

  /** The most children of an inner node. */
  val innerCapacity: Int = ((nodeBytes - Header) / (keyBytes + ChildBytes)).toInt

  private val values = Header + leafCapacity.toLong * keyBytes
  private val children = Header + innerCapacity.toLong * keyBytes

  /** The place of the node with a number. */
  def node(number: Int): Long = start + (number.toLong << nodeShift)
  def number(node: Long): Int = (node - start >> nodeShift).toInt

  /** The bytes of a number of nodes. */
  def bytes(nodes: Long): Long = nodes << nodeShift

  /** The node of the key at a place. */
  def nodeOf(key: Long): Long = start + (key - start & -nodeBytes)

  /** The index of the key at a place, in its node. */
  def indexOf(key: Long): Int = (key - nodeOf(key) - Header >> keyShift).toInt

  def key(node: Long, index: Int): Long = node + Header + (index.toLong << keyShift)

  /** The place of the value of the key at a place. */
  def valueOf(key: Long): Long =
    val node = nodeOf(key)
    node + values + (key - node - Header >> keyShift) * valueBytes

  def count(node: Long): Int = int(node)
  def setCount(node: Long, count: Int): Unit = setInt(node, count)

  /** The number of the leaf after a leaf, or -1. */
  def next(leaf: Long): Int = int(leaf + NextAt)
  def setNext(leaf: Long, number: Int): Unit = setInt(leaf + NextAt, number)

  /** The number of the leaf before a leaf, or -1. */
  def previous(leaf: Long): Int = int(leaf + PreviousAt)
  def setPrevious(leaf: Long, number: Int): Unit = setInt(leaf + PreviousAt, number)

  def child(node: Long, index: Int): Long =
    this.node(int(node + children + index.toLong * ChildBytes))
  def setChild(node: Long, index: Int, number: Int): Unit =
    setInt(node + children + index.toLong * ChildBytes, number)

  def high(key: Long): Long = long(key)
  def low(key: Long): Long = if keyBytes == 8 then 0 else long(key + 8)
  def setKey(key: Long, high: Long, low: Long): Unit =
    set(key, high)
    if keyBytes != 8 then set(key + 8, low)

  def isKey(key: Long, high: Long, low: Long): Boolean =
    this.high(key) == high && this.low(key) == low

  /** The number of keys of a leaf that are below a key. */
  def below(leaf: Long, high: Long, low: Long): Int =
    if keyBytes == 8 then rank(leaf, 0, leafCapacity)(long(_) < high)
    else rank(leaf, 0, leafCapacity)(isBelow(_, high, low))

  /** The number of keys of a leaf that are not above a key. */
  def upTo(leaf: Long, high: Long, low: Long): Int =
    if keyBytes == 8 then rank(leaf, 0, leafCapacity)(long(_) <= high)
    else rank(leaf, 0, leafCapacity)(!isAbove(_, high, low))

  /** The index of the child of an inner node whose keys include a key. */
  def childFor(node: Long, high: Long, low: Long): Int =
    if keyBytes == 8 then rank(node, 1, innerCapacity)(long(_) <= high) - 1
    else rank(node, 1, innerCapacity)(!isAbove(_, high, low)) - 1

  private def isBelow(key: Long, high: Long, low: Long): Boolean =
    val first = long(key)
    first < high || first == high && long(key + 8) < low

  private def isAbove(key: Long, high: Long, low: Long): Boolean =
    val first = long(key)
    first > high || first == high && long(key + 8) > low

  /** The index of the first key from `from` on for which `isBefore` is false. Each step compares
    * with three keys at once, which the processor loads together: a binary search would wait twice
    * as often.
    */
  private inline def rank(node: Long, from: Int, capacity: Int)(
      inline isBefore: Long => Boolean
  ): Int =
    var rest = count(node).min(capacity) - from
    var first = from
    while rest > 3 do
      val part = rest >>> 2
      val one = if isBefore(key(node, first + part - 1)) then part else 0
      val two = if isBefore(key(node, first + 2 * part - 1)) then part else 0
      val three = if isBefore(key(node, first + 3 * part - 1)) then part else 0
      first += one + two + three
      rest -= 3 * part
    var last = first
    while rest > 0 do
      if isBefore(key(node, first)) then last += 1
      first += 1
      rest -= 1
    last

  /** Makes room for an entry of a leaf, with a value of zeros, or for one of an inner node. */
  def insert(node: Long, index: Int, isLeaf: Boolean): Unit =
    val moved = count(node) - index
    val (payload, bytes) = (payloadOf(node, isLeaf), payloadBytes(isLeaf))
    move(key(node, index), key(node, index + 1), moved.toLong * keyBytes)
    move(payload + index * bytes, payload + (index + 1) * bytes, moved * bytes)
    if isLeaf then clear(payload + index * bytes)
    setCount(node, count(node) + 1)

  /** Sets the value at a place to zeros. */
  private def clear(value: Long): Unit =
    var k = 0
    while k < valueBytes do
      setInt(value + k, 0)
      k += 4

  /** Removes an entry of a leaf or of an inner node. */
  def remove(node: Long, index: Int, isLeaf: Boolean): Unit =
    val moved = count(node) - index - 1
    val (payload, bytes) = (payloadOf(node, isLeaf), payloadBytes(isLeaf))
    move(key(node, index + 1), key(node, index), moved.toLong * keyBytes)
    move(payload + (index + 1) * bytes, payload + index * bytes, moved * bytes)
    setCount(node, count(node) - 1)

  /** Moves the entries from an index on to an empty node. */
  def split(node: Long, index: Int, empty: Long, isLeaf: Boolean): Unit =
    val moved = count(node) - index
    val (payload, bytes) = (payloadOf(node, isLeaf), payloadBytes(isLeaf))
    move(key(node, index), key(empty, 0), moved.toLong * keyBytes)
    move(payload + index * bytes, payloadOf(empty, isLeaf), moved * bytes)
    setCount(node, index)
    setCount(empty, moved)

  /** The place of the first value, or of the first child. */
  private def payloadOf(node: Long, isLeaf: Boolean): Long =
    node + (if isLeaf then values else children)

  private def payloadBytes(isLeaf: Boolean): Long = if isLeaf then valueBytes else ChildBytes

  private def move(from: Long, to: Long, bytes: Long): Unit =
    if bytes > 0 then
      MemorySegment.copy(Cage.open, Cage.within(from), Cage.open, Cage.within(to), bytes)

  /** Copies the first `bytes` bytes of other nodes, which are committed here. */
  def copy(other: TreeNodes, bytes: Long): Unit = move(other.start, start, bytes)
end TreeNodes

private[struct] object TreeNodes:
  private inline val Header = 16L
  private inline val NextAt = 4L
  private inline val PreviousAt = 8L
  private inline val ChildBytes = 4L

  /** The bytes of a node: a power of two with room for some entries. */
  def sizeOf(keyBytes: Int, valueBytes: Int): Long =
    val least = Header + 16L * (keyBytes + valueBytes)
    (java.lang.Long.highestOneBit(least - 1) << 1).max(1024L)
end TreeNodes
