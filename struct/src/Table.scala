package undercroft.struct

import internal.bytes.{
  Backing,
  BulkCopy,
  MappedReads,
  StructBytes,
  ValueLayouts,
  WholeStructs
}
import internal.macros.access.RowAccess
import internal.macros.loops.InPlaceLoops
import internal.runtime.LazyViews
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary
import scala.util.boundary
import undercroft.memory.{Address, Allocator, MemoryException}

/** Off-heap structs: `size` rows of `T` in the layout `L`, used as [[Rows]], [[PackedRows]] or
  * [[Columns]].
  *
  * A table holds one bounded memory segment of its allocator, so an access costs as much as a raw
  * access to the segment. After its region is closed, every access from every thread throws a
  * StaleReferenceException that names the region. A table may be used by the threads that may use
  * the region (another thread gets a WrongThreadException); rows have the memory order of plain
  * fields. Indices are Long, in `[0, size)`; outside, IndexOutOfBoundsException is thrown with both
  * numbers. Code that was compiled for another layout of `T` than the table's [[Struct]] has throws
  * a [[LayoutMismatchException]], and changes nothing.
  *
  * `rows(i)` returns a `T`. If it is used in place (`rows(i).price`, a pattern match, a method
  * call), nothing is allocated as long as the JIT's escape analysis sees through the constructor:
  * always up to 16 fields, and up to 53 unless the loop is inlined into a large method. From 54
  * fields on the JIT does not inline the constructor, and a row is always allocated.
  * `rows.ref(i).price`, `rows.updateAt(i)(_.price)` and function literals given to the operations
  * of [[View]] access only the fields they name and do not depend on the JIT for that.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows[Trade](1000) // or PackedRows, or Columns
  *   trades(0) = Trade(250, 10)
  *   trades.updateAt(0)(_.price)(_ + 1)
  *   println(trades(0).price)
  *   println(trades.filter(_.amount > 5).map(_.price).max)
  * }}}
  */
class Table[T, L <: Layout] private[undercroft] (
    @publicInBinary private[undercroft] var currentMemory: MemorySegment,
    @publicInBinary private[struct] var currentAddress: Address,
    private[undercroft] val kind: Table.Kind,
    @publicInBinary private[undercroft] val first: Long,
    @publicInBinary private[struct] var currentCapacity: Long,
    rows: Long,
    @publicInBinary private[undercroft] val source: Backing | Null = null
)(using val struct: Struct[T])
    extends View[T]:

  @publicInBinary private[undercroft] var used: Long = rows

  // The memory changes only in a growing table that nothing refers to yet. An access to one row
  // reads the three fields above; everything else uses the three methods below, which fix the
  // memory.
  private[struct] var isMovable = false

  /** Gives the rows fixed addresses. */
  private[struct] def keepPlace(): Unit = ()

  @publicInBinary private[undercroft] final def memory: MemorySegment =
    if isMovable then keepPlace()
    currentMemory

  @publicInBinary private[struct] final def address: Address =
    if isMovable then keepPlace()
    currentAddress

  @publicInBinary private[undercroft] final def capacity: Long =
    if isMovable then keepPlace()
    currentCapacity

  /** The number of rows.
    *
    * {{{
    * println(Rows[Bill](1000).size) // 1000
    * }}}
    */
  final def size: Long = used
  final def isEmpty: Boolean = used == 0
  final def nonEmpty: Boolean = used != 0

  /** Throws if code was generated for another layout of `T` than the rows have. */
  @publicInBinary private[struct] final def checkLayout(fingerprint: Long, text: String): Unit =
    val _ = struct.agreed(fingerprint, text)

  /** The row at an index.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
    * println(bills(2)) // Bill(2,252)
    * println(bills(2).price) // 252
    * }}}
    */
  inline def apply(index: Long): T = ${ RowAccess.load('this, 'index) }

  /** Stores every field of a row. A value written as a constructor call is not allocated, unless
    * the constructor of its class has effects. If the value throws or the index is out of bounds,
    * nothing changes.
    *
    * {{{
    * val bills = Rows[Bill](4)
    * bills(2) = Bill(7, 300)
    * println(bills(2)) // Bill(7,300)
    * }}}
    */
  inline def update(index: Long, inline value: T): Unit =
    ${ RowAccess.store('this, 'index, 'value) }

  /** As `update`; `next` gives the row, and is evaluated after the value. */
  private[undercroft] inline def storeNext(inline next: Long)(inline value: T): Unit =
    ${ RowAccess.storeNext('this, 'next, 'value) }

  /** Replaces a part of a row by the result of `f`, and accesses nothing else: a field of any type,
    * `_.price` or `_.at.x`, an element of an inline array, `_.cells(2)`, a field of such an
    * element, `_.corners(1).x`, or a member of a union, `_.value.real`. The new value is complete
    * before any of it is stored. An index outside the array throws IndexOutOfBoundsException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.updateAt(2)(_.price)(_ + 1)
    * println(bills(2)) // Bill(2,251)
    * final case class Board(cells: InlineArray[Int, 3], best: Option[Int]) derives Struct
    * val boards = Rows.from(List(Board(InlineArray(1, 2, 3), None)))
    * boards.updateAt(0)(_.cells(2))(_ * 10)
    * boards.updateAt(0)(_.best)(_ => Some(7))
    * println((boards(0).cells(2), boards(0).best)) // (30,Some(7))
    * }}}
    */
  inline def updateAt(index: Long)[A](inline field: T => A)(inline f: A => A): Unit =
    ${ RowAccess.updateAt('this, 'index, 'field, 'f) }

  /** Replaces a part of every row by the result of `f`, as [[updateAt]] does.
    *
    * {{{
    * val bills = Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.updateAll(_.price)(_ * 2)
    * println(bills.sumOf(_.price)) // 2000
    * }}}
    */
  inline def updateAll[A](inline field: T => A)(inline f: A => A): Unit =
    ${ InPlaceLoops.updateAll('this, 'field, 'f) }

  /** Replaces a row by the result of `f`. For `_.copy(price = 251)` only that field is stored, and
    * no other is accessed, unless the constructor of the class has effects.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.transformAt(2)(_.copy(price = 251))
    * println(bills(2)) // Bill(2,251)
    * }}}
    */
  inline def transformAt(index: Long)(inline f: T => T): Unit =
    ${ RowAccess.transformAt('this, 'index, 'f) }

  /** Replaces every row by the result of `f`, as [[transformAt]] does; Scala's `mapInPlace`.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.transform(bill => Bill(bill.ticket + 1, bill.price * 2))
    * println(bills(3)) // Bill(4,500)
    * }}}
    */
  inline def transform(inline f: T => T): Unit = ${ InPlaceLoops.transform('this, 'f) }

  /** Stores `value` in every row.
    *
    * {{{
    * val bills = Rows[Bill](4)
    * bills.fill(Bill(7, 250))
    * println(bills(3)) // Bill(7,250)
    * }}}
    */
  inline def fill(value: T): Unit = transform(_ => value)

  /** Stores the result of `f` on each row of `source` in the row of the same index here. Different
    * sizes throw IllegalArgumentException, before anything is stored. Rows are stored one after the
    * other: in two overlapping slices of one table, `f` sees the rows that are already stored.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * val doubled = Columns[Bill](4)
    * doubled.setFrom(bills)(bill => Bill(bill.ticket, bill.price * 2))
    * println(doubled(3)) // Bill(3,500)
    * }}}
    */
  inline def setFrom[S, M <: Layout](source: Table[S, M])(inline f: S => T): Unit =
    ${ InPlaceLoops.setFrom('this, 'source, 'f) }

  /** Swaps two rows.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.swap(0, 3)
    * println(bills.map(_.ticket).toVector) // Vector(3, 1, 2, 0)
    * }}}
    */
  final def swap(a: Long, b: Long): Unit =
    val (first, second) = (Objects.checkIndex(a, used), Objects.checkIndex(b, used))
    access:
      if kind == Table.Kind.Columnar then swapInColumns(first, second)
      else WholeStructs.swapBytes(memory, first * stride, second * stride, stride)

  /** A loaded row, once its load is known to have succeeded. */
  @publicInBinary private[struct] final def settled(row: T): T =
    if source != null then MappedReads.rethrow()
    row

  /** The result of an access, once it is known to have succeeded. */
  private inline def access[A](inline body: A): A =
    try
      val result = body
      if source != null then MappedReads.rethrow()
      result
    catch case error: Throwable => throw translate(error)

  private def swapInColumns(a: Long, b: Long): Unit =
    val columns = struct.columns
    var k = 0
    while k < columns.length do
      val size = columns(k).kind.size.toLong
      val start = capacity * columns(k).column + first * size
      WholeStructs.swapBytes(memory, start + a * size, start + b * size, size)
      k += 1

  /** Whether two rows are equal by their bytes, as defined at [[Ref.contentEquals]]. Does not
    * allocate.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(1, 250), Bill(2, 250)))
    * println(bills.contentEqualsAt(0, 1)) // true
    * println(bills.contentEqualsAt(0, 2)) // false
    * }}}
    */
  final def contentEqualsAt(a: Long, b: Long): Boolean =
    val (x, y) = (place(a), place(b))
    access(bytes.same(memory, x, memory, y, scale))

  /** Less than 0, 0 or more than 0, by the first field in which two rows differ, as
    * [[Ref.compare]]. Does not allocate.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(1, 251)))
    * println(bills.compareAt(0, 1) < 0) // true
    * }}}
    */
  final def compareAt(a: Long, b: Long): Int =
    val (x, y) = (place(a), place(b))
    access(bytes.compare(memory, x, memory, y, scale))

  /** A hash of a row's bytes, as [[Ref.hash]]: equal for equal rows in one layout. Does not
    * allocate.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(1, 250)))
    * println(bills.hashAt(0) == bills.hashAt(1)) // true
    * }}}
    */
  final def hashAt(index: Long): Int =
    val x = place(index)
    access(bytes.hash(memory, x, scale))

  private def bytes: StructBytes = kind match
    case Table.Kind.Aligned  => struct.alignedBytes
    case Table.Kind.Packed   => struct.packedBytes
    case Table.Kind.Columnar => struct.columnarBytes

  /** The position of a row as [[StructBytes]] takes it; `scale` is the distance of its columns. */
  private def place(index: Long): Long =
    val row = Objects.checkIndex(index, used)
    if kind == Table.Kind.Columnar then first + row else row * stride
  private def scale: Long = if kind == Table.Kind.Columnar then capacity else 1

  /** The rows `[from, until)` of the same memory, without a copy.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * val middle = bills.slice(4, 6)
    * middle(0) = Bill(7, 300)
    * println((middle.size, bills(4))) // (2,Bill(7,300))
    * }}}
    */
  final def slice(from: Long, until: Long): Table[T, L] =
    Table.checkRange(from, until, used)
    // One code path for all layouts: a call that one of them seldom makes would not be inlined, and
    // its segment would be allocated.
    val columnar = kind == Table.Kind.Columnar
    val skipped = if columnar then 0L else from * stride
    new Table(
      memory.asSlice(skipped, if columnar then memory.byteSize else (until - from) * stride),
      Address.ofBits(Cage.moved(address.bits, skipped)),
      kind,
      if columnar then first + from else 0,
      if columnar then capacity else until - from,
      until - from,
      source
    )

  /** Copies all rows of a table of the same size and layout, as bytes: the fastest way to copy. If
    * the tables have different layouts of `T`, LayoutMismatchException is thrown.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * val copy = Rows[Bill](4)
    * copy.copyFrom(bills)
    * println(copy(3)) // Bill(3,250)
    * }}}
    */
  final def copyFrom(source: Table[T, L]): Unit =
    Table.checkSameSize(used, source.used)
    BulkCopy.all(source, this)

  /** Copies the values into the rows `[at, at + values.length)`.
    *
    * {{{
    * val bills = Rows[Bill](4)
    * bills.copyFrom(Array(Bill(1, 250), Bill(2, 251)), at = 2)
    * println(bills(3)) // Bill(2,251)
    * }}}
    */
  final def copyFrom(values: Array[T], at: Long = 0): Unit =
    Table.checkRange(at, Table.end(at, values.length), used)
    var i = 0
    while i < values.length do
      store(at + i, values(i))
      i += 1

  /** Copies the rows `[at, at + target.length)` into an array.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * val array = new Array[Bill](2)
    * bills.copyTo(array, at = 1)
    * println(array.toList) // List(Bill(1,250), Bill(2,250))
    * }}}
    */
  final def copyTo(target: Array[T], at: Long = 0): Unit =
    Table.checkRange(at, Table.end(at, target.length), used)
    confirm()
    var i = 0
    while i < target.length do
      target(i) = loadChecked(at + i)
      i += 1
    confirm()

  /** The rows in order, as many as the table has now; allocates each.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * println(bills.iterator.map(_.ticket).mkString(" ")) // 0 1 2 3
    * }}}
    */
  final def iterator: Iterator[T] = LazyViews.Indices("row", size, load)

  @publicInBinary private[struct] override def run(step: T => Boolean): Unit =
    val end = used
    var i = 0L
    var going = true
    try
      while going && i < end do
        confirm()
        val rows = Table.block(end - i, Table.BlockRows)
        going = each(i, rows, step)
        i += rows
      confirm()
    catch case error: Throwable => throw translate(error)

  private def each(from: Long, rows: Int, step: T => Boolean): Boolean = kind match
    case Table.Kind.Aligned => struct.eachAligned(memory, from * struct.size, rows, step)
    case Table.Kind.Packed  => struct.eachPacked(memory, from * struct.packedSize, rows, step)
    case Table.Kind.Columnar =>
      struct.eachColumns(memory, capacity, first + from, rows, step)

  /** Implements `apply` if the type or the layout is not known at compile time. */
  @publicInBinary private[struct] final def load(index: Long): T =
    loadChecked(Objects.checkIndex(index, used))

  /** A checked reference to a row, which may outlive the table and be used by any thread. For rows,
    * not for columns, in which a row is not contiguous.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * val bill = bills.ref(2)
    * bill.price = 251
    * println(bills(2)) // Bill(2,251)
    * }}}
    */
  inline def ref(index: Long): Reference[T, L] = ${ RowAccess.ref('this, 'index) }

  /** One row, whose fields are read and stored by name, in any layout and memory: see [[TableRow]].
    * An index outside `[0, size)` throws IndexOutOfBoundsException.
    *
    * {{{
    * val bills = Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * bills.row(2).price = 251
    * println(bills(2)) // Bill(2,251)
    * }}}
    */
  final def row(index: Long): TableRow[T, L] = new TableRow(this, Objects.checkIndex(index, used))

  @publicInBinary private[struct] final def refAt(index: Long): Reference[T, L] =
    refAt(index, stride)

  /** @param step
    *   the bytes of a row
    */
  @publicInBinary private[struct] final def refAt(index: Long, step: Long): Reference[T, L] =
    Reference.at(Cage.moved(address.bits, referable(index) * step))

  /** The index of a row that a reference may refer to. */
  @publicInBinary private[struct] final def referable(index: Long): Long =
    if source != null then Table.unreferable(source.name)
    Objects.checkIndex(index, used)

  private def loadChecked(index: Long): T =
    access:
      kind match
        case Table.Kind.Aligned => struct.loadAligned(currentMemory, index * struct.size)
        case Table.Kind.Packed  => struct.loadPacked(currentMemory, index * struct.packedSize)
        case Table.Kind.Columnar =>
          struct.loadColumns(currentMemory, currentCapacity, first + index)

  /** The error to throw for a failed access: an error that names the closed region or the truncated
    * file, or else `error` itself, such as a break to a `boundary` of the user. A break out of a
    * truncated file is replaced, too, because its values may have been read from there.
    */
  @publicInBinary private[undercroft] final def translate(error: Throwable): Throwable =
    error match
      case _: boundary.Break[?]                                    => confirmed(error)
      case _: (RuntimeException | InternalError) if source != null => source.translate(error)
      case _: RuntimeException if !currentMemory.scope.isAlive =>
        val stale =
          try
            Cage.check(currentAddress.bits, 0, 1)
            Cage.closing(currentAddress.bits)
          catch case stale: MemoryException => stale
        stale.addSuppressed(error)
        stale
      case _ => confirmed(error)

  private def confirmed(error: Throwable): Throwable =
    try
      confirm()
      error
    catch
      case truncated: RuntimeException =>
        if truncated ne error then truncated.addSuppressed(error)
        truncated

  /** Begins and ends a loop over rows: throws if the file has been truncated, so that values read
    * from it are discarded.
    */
  @publicInBinary private[undercroft] final def confirm(): Unit =
    if source != null then source.check()

  /** Throws if the thread may not use the memory, or if the table is closed. */
  private[struct] final def admit(): Unit =
    access:
      if used > 0 then
        val _ = currentMemory.get(ValueLayouts.byte, 0)
      else if !currentMemory.scope.isAlive then throw IllegalStateException("Already closed")

  /** Implements `update` if the type or the layout is not known at compile time. */
  @publicInBinary private[struct] final def store(index: Long, value: T): Unit =
    val memory = currentMemory
    storeAt(Objects.checkIndex(index, used), value)
    // A conversion of the user may have moved the table meanwhile.
    if memory ne currentMemory then store(index, value)

  private[struct] final def storeAt(index: Long, value: T): Unit =
    access:
      kind match
        case Table.Kind.Aligned => struct.storeAligned(currentMemory, index * struct.size, value)
        case Table.Kind.Packed =>
          struct.storePacked(currentMemory, index * struct.packedSize, value)
        case Table.Kind.Columnar =>
          struct.storeColumns(currentMemory, currentCapacity, first + index, value)

  /** The memory from an offset on, for a loop whose offsets start at 0. */
  @publicInBinary private[struct] final def block(from: Long, bytes: Long): MemorySegment =
    if from == 0 then memory else memory.asSlice(from, bytes)

  /** The memory of `used` elements of `size` bytes, starting at `from`. */
  @publicInBinary private[struct] final def part(from: Long, size: Long): MemorySegment =
    memory.asSlice(from, used * size)

  /** A table of the same layout with `size` rows that are not zeroed. */
  private[struct] final def another(size: Long, allocator: Allocator): Table[T, L] =
    Table.uninit(kind, size)(using struct, allocator)

  private[struct] final def stride: Long = kind.bytesPerRow(struct)

  override def toString: String = s"$kind table of $used ${struct.shape.name}"
end Table

/** Structs one after the other in the C ABI layout (array of structs).
  *
  * {{{
  * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * println(bills.segment.byteSize) // 32
  * }}}
  */
type Rows[T] = Table[T, Aligned]

/** Structs one after the other without padding.
  *
  * {{{
  * println(Struct[Trade].packedSize) // 13
  * println(PackedRows[Trade](10).segment.byteSize) // 130
  * }}}
  */
type PackedRows[T] = Table[T, Packed]

/** One column per field (struct of arrays): fields that a loop does not read cost nothing, and
  * loops vectorise.
  *
  * {{{
  * val bills = Columns.tabulate[Bill](1000)(i => Bill(i.toInt, 250))
  * println(bills.sumOf(_.price)) // 250000
  * }}}
  */
type Columns[T] = Table[T, Columnar]

object Table:
  private[undercroft] enum Kind derives CanEqual:
    case Aligned, Packed, Columnar

    def bytesPerRow(struct: Struct[?]): Long = this match
      case Aligned  => struct.size
      case Packed   => struct.packedSize
      case Columnar => struct.columnarSize

  private[undercroft] object Kind:
    // Loads the class before the first table: the JIT does not inline `source` while the class that
    // its signature names is not loaded, which no table of memory would load.
    Objects.requireNonNull(classOf[Backing])

  /** A table of rows that are not zeroed. */
  private[struct] def uninit[T, L <: Layout](kind: Table.Kind, size: Long)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] = make(kind, size, isZeroed = false)

  private[struct] def make[T, L <: Layout](kind: Table.Kind, size: Long, isZeroed: Boolean)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] =
    val capacity = room(kind, size)
    val byteSize = bytes(capacity, kind.bytesPerRow(struct))
    val memory =
      if isZeroed then allocator.allocate(byteSize, 64) else allocator.allocateUninit(byteSize, 64)
    new Table(memory, Cage.addressOf(memory), kind, 0, capacity, size)

  /** The capacity in rows for `size` rows: columns start at multiples of 64 bytes. */
  private[undercroft] def room(kind: Table.Kind, size: Long): Long =
    if size < 0 then throw IllegalArgumentException(s"size must be at least 0, but is $size")
    if kind == Table.Kind.Columnar then Math.ceilDiv(size, 64L).min(Long.MaxValue / 64) * 64
    else size

  /** The bytes of `capacity` rows; Long.MaxValue if they are more, which every allocator rejects.
    */
  private[undercroft] def bytes(capacity: Long, bytesPerRow: Long): Long =
    if bytesPerRow > 0 && capacity > Long.MaxValue / bytesPerRow then Long.MaxValue
    else capacity * bytesPerRow

  /** Rows of a block in a loop of [[Struct]]. */
  private inline val BlockRows = 4096

  /** The number of rows in the next block of a loop. */
  @publicInBinary private[struct] def block(remaining: Long, maxRows: Int): Int =
    Math.min(remaining, maxRows).toInt

  @publicInBinary private[struct] def empty(operation: String): Nothing =
    throw java.util.NoSuchElementException(s"$operation requires at least one value")

  private[struct] def unreferable(name: String): Nothing =
    throw UnsupportedOperationException(
      s"a row of $name has no reference, because references are to memory of Undercroft: use " +
        "rows(i), row(i) or updateAt"
    )

  @publicInBinary private[struct] def checkSameSize(target: Long, source: Long): Unit =
    if target != source then
      throw IllegalArgumentException(s"source has $source rows, but the target has $target")

  /** The end of `count` rows from a row on, at most Long.MaxValue. */
  private[struct] def end(from: Long, count: Int): Long =
    if from > Long.MaxValue - count then Long.MaxValue else from + count

  private[struct] def checkRange(from: Long, until: Long, size: Long): Unit =
    if from < 0 || until < from || until > size then
      throw IndexOutOfBoundsException(s"rows [$from, $until) are not within [0, $size)")
end Table
