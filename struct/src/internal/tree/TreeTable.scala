package undercroft.struct
package internal.tree

import internal.entries.{EntryMemory, EntryTable}
import scala.annotation.publicInBinary
import undercroft.memory.internal.platform.Limits
import undercroft.memory.{Allocator, MemoryException, MemoryLimitException, Reservation}

/** The entries of a [[StructTreeMap]]: a B+-tree (R. Bayer, E. McCreight, "Organization and
  * maintenance of large ordered indexes", 1972; D. Comer, "The ubiquitous B-tree", 1979), its
  * leaves in a list in both directions. See [[TreeNodes]] for the nodes.
  *
  * A full node is split in halves, but at the end of the keys, so that ascending keys fill their
  * nodes. A node is freed when it is empty, and not merged before (T. Johnson, D. Shasha, "B-trees
  * with inserts and deletes: why free-at-empty is better than merge-at-half", 1993).
  *
  * A place is that of the entry's key; [[valueOf]] has the place of its value.
  */
private[struct] final class TreeTable(
    keyBytes: Int,
    valueSize: Int,
    allocator: Allocator,
    leastBytes: Long = TreeTable.LeastBytes
) extends EntryTable:
  private val valueBytes = (valueSize + 3) & -4
  private var nodes = opened(leastBytes * TreeTable.SmallSpan)

  /** The numbers of the root, of levels of inner nodes, and of the first and the last leaf. */
  private var root = 0
  private var height = 0
  private var firstLeaf = 0
  private var lastLeaf = 0

  /** How many nodes were ever used, the list of those that are free now, and their number. */
  private var usedNodes = 0
  private var firstFree = TreeTable.None
  private var freeNodes = 0

  /** The inner nodes from a key's leaf to the root, and the index of the child in each; of the last
    * [[descend]].
    */
  private val path = new Array[Long](TreeTable.MaxHeight)
  private val turns = new Array[Int](TreeTable.MaxHeight)
  startAlone()
  begin()

  protected def memory: EntryMemory = nodes

  /** Creates nodes, and commits the memory of the first ones; closes them if that fails. */
  private def opened(spanBytes: Long): TreeNodes =
    val created =
      TreeNodes(keyBytes, valueBytes, allocator, spanBytes.max(leastBytes), markClosed(_))
    try
      created.commit(created.bytes(1))
      created
    catch
      case error: MemoryException =>
        created.close()
        throw error

  /** Starts with an empty leaf as the root. */
  private def startAlone(): Unit =
    root = 0
    height = 0
    firstLeaf = 0
    lastLeaf = 0
    usedNodes = 1
    firstFree = TreeTable.None
    freeNodes = 0
    initialize(nodes.node(0))

  private def initialize(node: Long): Unit =
    nodes.setCount(node, 0)
    nodes.setNext(node, TreeTable.None)
    nodes.setPrevious(node, TreeTable.None)

  @publicInBinary private[struct] def valueOf(place: Long): Long = nodes.valueOf(place)
  @publicInBinary private[struct] def high(place: Long): Long = nodes.high(place)
  @publicInBinary private[struct] def low(place: Long): Long = nodes.low(place)

  /** The leaf whose keys include a key. */
  private def leafFor(high: Long, low: Long): Long =
    val current = nodes
    var node = current.node(root)
    var level = height
    while level > 0 do
      node = current.child(node, current.childFor(node, high, low))
      level -= 1
    node

  /** As [[leafFor]], and records the path. */
  private def descend(high: Long, low: Long): Long =
    var node = nodes.node(root)
    var level = height
    while level > 0 do
      level -= 1
      path(level) = node
      turns(level) = nodes.childFor(node, high, low)
      node = nodes.child(node, turns(level))
    node

  /** The place of a key, or the complement of its insertion place. */
  @publicInBinary private[struct] def find(high: Long, low: Long): Long =
    val current = nodes
    val leaf = leafFor(high, low)
    val index = current.below(leaf, high, low)
    val place = current.key(leaf, index)
    if index < current.count(leaf) && current.isKey(place, high, low) then place else ~place

  @publicInBinary private[struct] def firstEntry: Long = entryAt(nodes.node(firstLeaf), 0)

  /** The place of the last entry, or -1. */
  @publicInBinary private[struct] def lastEntry: Long =
    val leaf = nodes.node(lastLeaf)
    entryAt(leaf, nodes.count(leaf) - 1)

  private def entryAt(leaf: Long, index: Int): Long =
    if index >= 0 && index < nodes.count(leaf) then nodes.key(leaf, index) else -1

  /** The place of the first entry whose key is not below a key, or -1. */
  @publicInBinary private[struct] def ceiling(high: Long, low: Long): Long =
    val leaf = leafFor(high, low)
    fromIndex(leaf, nodes.below(leaf, high, low))

  /** The place of the first entry whose key is above a key, or -1. */
  @publicInBinary private[struct] def higher(high: Long, low: Long): Long =
    val leaf = leafFor(high, low)
    fromIndex(leaf, nodes.upTo(leaf, high, low))

  /** The place of the last entry whose key is not above a key, or -1. */
  @publicInBinary private[struct] def floor(high: Long, low: Long): Long =
    val leaf = leafFor(high, low)
    toIndex(leaf, nodes.upTo(leaf, high, low) - 1)

  /** The place of the last entry whose key is below a key, or -1. */
  @publicInBinary private[struct] def lower(high: Long, low: Long): Long =
    val leaf = leafFor(high, low)
    toIndex(leaf, nodes.below(leaf, high, low) - 1)

  private def fromIndex(leaf: Long, index: Int): Long =
    if index < nodes.count(leaf) then nodes.key(leaf, index)
    else
      val next = nodes.next(leaf)
      if next < 0 then -1 else entryAt(nodes.node(next), 0)

  private def toIndex(leaf: Long, index: Int): Long =
    if index >= 0 then entryAt(leaf, index)
    else
      val previous = nodes.previous(leaf)
      if previous < 0 then -1
      else
        val before = nodes.node(previous)
        entryAt(before, nodes.count(before) - 1)

  @publicInBinary private[struct] def entryAfter(place: Long): Long =
    fromIndex(nodes.nodeOf(place), nodes.indexOf(place) + 1)

  @publicInBinary private[struct] def empty(): Nothing =
    throw java.util.NoSuchElementException("the map has no key")

  /** Whether the key at a place is below a key. */
  @publicInBinary private[struct] def isBelow(place: Long, high: Long, low: Long): Boolean =
    val first = nodes.high(place)
    first < high || first == high && nodes.low(place) < low

  /** The place of a key, which is added with a value of zeros if absent. */
  @publicInBinary private[struct] def put(high: Long, low: Long): Long =
    val last = nodes.node(lastLeaf)
    val count = nodes.count(last)
    if count > 0 && isBelow(nodes.key(last, count - 1), high, low) then
      add(~nodes.key(last, count), high, low)
    else
      val place = find(high, low)
      if place >= 0 then place else add(place, high, low)

  /** Adds a key that [[find]] did not find, but returned `absent`; returns its place. */
  @publicInBinary private[struct] def add(absent: Long, high: Long, low: Long): Long =
    var leaf = nodes.nodeOf(~absent)
    var index = nodes.indexOf(~absent)
    if nodes.count(leaf) == nodes.leafCapacity then
      prepare()
      leaf = splitFor(high, low)
      index = nodes.below(leaf, high, low)
    nodes.insert(leaf, index, isLeaf = true)
    val place = nodes.key(leaf, index)
    nodes.setKey(place, high, low)
    entries += 1
    changes += 1
    place

  /** Splits the full leaf for a key; returns the half for the key. At the end of all keys the right
    * one is empty.
    */
  private def splitFor(high: Long, low: Long): Long =
    val leaf = descend(high, low)
    val index = nodes.below(leaf, high, low)
    val isLast = index == nodes.leafCapacity && nodes.next(leaf) < 0
    val half = if isLast then index else nodes.leafCapacity / 2
    val right = taken()
    nodes.split(leaf, half, right, isLeaf = true)
    link(leaf, right)
    if isLast then
      enterChild(0, high, low, nodes.number(right), isLast)
      right
    else
      val first = nodes.key(right, 0)
      enterChild(0, nodes.high(first), nodes.low(first), nodes.number(right), isLast)
      if index <= half then leaf else right
  end splitFor

  /** Links a new leaf behind a leaf. */
  private def link(leaf: Long, right: Long): Unit =
    val next = nodes.next(leaf)
    nodes.setNext(right, next)
    nodes.setPrevious(right, nodes.number(leaf))
    nodes.setNext(leaf, nodes.number(right))
    if next >= 0 then nodes.setPrevious(nodes.node(next), nodes.number(right))
    else lastLeaf = nodes.number(right)

  /** Adds a child whose keys start at a key, in the path's node of a level, behind its turn. */
  private def enterChild(level: Int, high: Long, low: Long, child: Int, isLast: Boolean): Unit =
    if level == height then
      val old = root
      val top = taken()
      nodes.setCount(top, 2)
      nodes.setChild(top, 0, old)
      nodes.setKey(nodes.key(top, 1), high, low)
      nodes.setChild(top, 1, child)
      root = nodes.number(top)
      height += 1
    else
      val node = path(level)
      val index = turns(level) + 1
      if nodes.count(node) < nodes.innerCapacity then enterAt(node, index, high, low, child)
      else
        val half = if isLast then index else nodes.innerCapacity / 2
        val right = taken()
        nodes.split(node, half, right, isLeaf = false)
        if isLast then
          enterAt(right, 0, high, low, child)
          enterChild(level + 1, high, low, nodes.number(right), isLast)
        else
          val first = nodes.key(right, 0)
          val (firstHigh, firstLow) = (nodes.high(first), nodes.low(first))
          if index <= half then enterAt(node, index, high, low, child)
          else enterAt(right, index - half, high, low, child)
          enterChild(level + 1, firstHigh, firstLow, nodes.number(right), isLast)
  end enterChild

  private def enterAt(node: Long, index: Int, high: Long, low: Long, child: Int): Unit =
    nodes.insert(node, index, isLeaf = false)
    nodes.setKey(nodes.key(node, index), high, low)
    nodes.setChild(node, index, child)

  @publicInBinary private[struct] def remove(place: Long): Unit =
    val leaf = nodes.nodeOf(place)
    if nodes.count(leaf) == 1 && height > 0 then
      val _ = descend(nodes.high(place), nodes.low(place))
      unlink(leaf)
      free(leaf)
      removeChild()
    else nodes.remove(leaf, nodes.indexOf(place), isLeaf = true)
    entries -= 1
    changes += 1

  private def unlink(leaf: Long): Unit =
    val (previous, next) = (nodes.previous(leaf), nodes.next(leaf))
    if previous >= 0 then nodes.setNext(nodes.node(previous), next) else firstLeaf = next
    if next >= 0 then nodes.setPrevious(nodes.node(next), previous) else lastLeaf = previous

  /** Removes the child at the path's end, the nodes that become empty, and the roots that have one
    * child.
    */
  private def removeChild(): Unit =
    var level = 0
    while nodes.count(path(level)) == 1 do
      free(path(level))
      level += 1
    nodes.remove(path(level), turns(level), isLeaf = false)
    var top = nodes.node(root)
    while height > 0 && nodes.count(top) == 1 do
      val only = nodes.child(top, 0)
      free(top)
      root = nodes.number(only)
      height -= 1
      top = only

  private def free(node: Long): Unit =
    nodes.setNext(node, firstFree)
    firstFree = nodes.number(node)
    freeNodes += 1

  /** An empty node, which [[prepare]] has provided. */
  private def taken(): Long =
    val number = if firstFree >= 0 then firstFree else usedNodes
    val node = nodes.node(number)
    if firstFree >= 0 then
      firstFree = nodes.next(node)
      freeNodes -= 1
    else usedNodes += 1
    initialize(node)
    node

  /** Commits the memory of the nodes that one more key may take: one for each level, and a root. If
    * that fails, nothing has changed.
    */
  private def prepare(): Unit =
    val bytes = nodes.bytes(usedNodes.toLong + (height + 2 - freeNodes).max(0))
    if bytes > nodes.committedBytes then
      if bytes > nodes.maxBytes then moveAll(bytes)
      val current = nodes
      try waiting(current.commit(bytes))
      finally requireOpen(current)

  /** Moves all nodes to a reservation of at least `needed` bytes, which has room for as many nodes
    * as the process may have: that of a small map is for 1 MiB.
    */
  private def moveAll(needed: Long): Unit =
    val smaller = nodes
    val bytes = smaller.bytes(usedNodes)
    val larger = waiting(opened(Reservation.share(Limits.current).max(needed * 2)))
    try waiting(larger.commit(bytes))
    catch
      case error: MemoryException =>
        waiting(larger.close())
        throw error
    requireOpen(smaller)
    requireOpen(larger)
    larger.copy(smaller, bytes)
    nodes = larger
    checkClosed()
    changes += 1
    // At last, so that a lookup on another thread does not take the map for closed.
    waiting(smaller.close())
    requireOpen(larger)

  protected def clearAlone(): Unit =
    val full = nodes
    val empty =
      try waiting(opened(leastBytes * TreeTable.SmallSpan))
      catch case _: MemoryLimitException => null
    if empty != null then
      nodes = empty
      checkClosed()
    startAlone()
    entries = 0
    changes += 1
    if empty != null then waiting(full.close())
end TreeTable

@publicInBinary private[struct] object TreeTable:
  private inline val None = -1

  /** The most levels: each has at least two nodes, and numbers of nodes are Ints. */
  private inline val MaxHeight = 32

  /** The bytes of a page. */
  private inline val LeastBytes = 0x10000L

  /** The address space of a small map, in multiples of a page. */
  private inline val SmallSpan = 16L

  /** A map for keys of one or two words, and values of `valueSize` bytes. */
  @publicInBinary private[struct] def make(
      keyBytes: Int,
      valueSize: Int,
      allocator: Allocator
  ): TreeTable = TreeTable(keyBytes, valueSize, allocator)
end TreeTable
