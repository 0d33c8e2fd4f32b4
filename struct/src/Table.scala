package undercroft.struct

import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.{Address, Allocator, Cage, MemoryException}
import undercroft.struct.internal.{Bytes, Changes, InPlace, Mapping, Places, Single, Unaligned}

/** Structs outside the heap: `size` rows of `T` in the layout `L`, used as [[Rows]], [[PackedRows]]
  * or [[Columns]].
  *
  * A table holds one bounded memory segment of its allocator, so an access costs what a raw one
  * costs, and after its region is closed every access is a StaleReferenceException that names it,
  * from every thread. Threads: those that may use the region (another is a WrongThreadException);
  * rows have the memory order of plain fields. Indices are Long, in `[0, size)`; outside, an
  * IndexOutOfBoundsException with both numbers.
  *
  * `rows(i)` gives a `T`. Where it is used in place (`rows(i).price`, a pattern match, a method
  * call) no object is made as long as the JIT sees through the constructor: sure up to 16 fields,
  * usual up to 48, and from 54 on, whose constructor it does not inline, a row always is an object.
  * `rows.ref(i).price`, `rows.updateAt(i)(_.price)` and function literals given to the operations
  * of [[View]] touch only the fields they name and do not depend on the JIT for that.
  */
class Table[T, L <: Layout] private[undercroft] (
    @publicInBinary private[undercroft] val memory: MemorySegment,
    @publicInBinary private[struct] val address: Address,
    private[undercroft] val kind: Table.Kind,
    @publicInBinary private[undercroft] val first: Long,
    @publicInBinary private[undercroft] val capacity: Long,
    rows: Long,
    @publicInBinary private[struct] val source: Backing | Null = null
)(using val struct: Struct[T])
    extends View[T]:

  @publicInBinary private[undercroft] var used: Long = rows

  /** How many rows there are. */
  final def size: Long = used
  final def isEmpty: Boolean = used == 0
  final def nonEmpty: Boolean = used != 0

  /** The row at an index. */
  inline def apply(index: Long): T = ${ Single.load('this, 'index) }

  /** Stores every field of a row. A value written as a constructor call is never made, unless its
    * class does something when made. If the value throws or the index is outside, nothing changes.
    */
  inline def update(index: Long, inline value: T): Unit = ${ Single.store('this, 'index, 'value) }

  /** As `update`, in a row that is asked for once the value is made. */
  private[undercroft] inline def storeNext(inline next: Long)(inline value: T): Unit =
    ${ Single.storeNext('this, 'next, 'value) }

  /** Reads one field of a row, and stores what `f` makes of it. */
  inline def updateAt(index: Long)[A](inline field: T => A)(inline f: A => A): Unit =
    ${ Single.updateAt('this, 'index, 'field, 'f) }

  /** Reads one field of every row, and stores what `f` makes of it. */
  inline def updateAll[A](inline field: T => A)(inline f: A => A): Unit =
    ${ InPlace.updateAll('this, 'field, 'f) }

  /** Replaces a row by what `f` makes of it. Of `_.copy(price = 251)` the field alone is stored,
    * and no other is touched, unless the class does something when made.
    */
  inline def transformAt(index: Long)(inline f: T => T): Unit =
    ${ Changes.transformAt('this, 'index, 'f) }

  /** Replaces every row by what `f` makes of it, as [[transformAt]] does. */
  inline def transform(inline f: T => T): Unit = ${ InPlace.transform('this, 'f) }

  /** Stores `value` in every row. */
  inline def fill(value: T): Unit = transform(_ => value)

  /** Stores what `f` makes of each row of `source` in the row of the same index here. The sizes
    * must be the same: otherwise an IllegalArgumentException, before anything is stored.
    */
  inline def setFrom[S, M <: Layout](source: Table[S, M])(inline f: S => T): Unit =
    ${ InPlace.setFrom('this, 'source, 'f) }

  /** Two rows change places. */
  final def swap(a: Long, b: Long): Unit =
    val (first, second) = (Objects.checkIndex(a, used), Objects.checkIndex(b, used))
    access:
      if kind == Table.Kind.Columnar then swapInColumns(first, second)
      else Places.swapBytes(memory, first * stride, second * stride, stride)

  /** A row that was loaded, once that is known to have worked. */
  @publicInBinary private[struct] final def settled(row: T): T =
    if source != null then Mapping.settle()
    row

  /** What an access answers once it is known to have been one. */
  private inline def access[A](inline body: A): A =
    try
      val result = body
      if source != null then Mapping.settle()
      result
    catch case error: Throwable => throw explained(error)

  private def swapInColumns(a: Long, b: Long): Unit =
    val columns = struct.columns
    var k = 0
    while k < columns.length do
      val size = columns(k).kind.size.toLong
      val start = capacity * columns(k).column + first * size
      Places.swapBytes(memory, start + a * size, start + b * size, size)
      k += 1

  /** Whether two rows are the same, as [[Ref.same]] says, by their bytes. Makes no object. */
  final def sameAt(a: Long, b: Long): Boolean =
    val (x, y) = (place(a), place(b))
    access(bytes.same(memory, x, memory, y, scale))

  /** Less than 0, 0 or more than 0, by the first field in which two rows differ, as [[Ref.compare]]
    * says. Makes no object.
    */
  final def compareAt(a: Long, b: Long): Int =
    val (x, y) = (place(a), place(b))
    access(bytes.compare(memory, x, memory, y, scale))

  /** A hash of a row's bytes, as [[Ref.hash]] says: of rows that are the same, in one layout, the
    * same. Makes no object.
    */
  final def hashAt(index: Long): Int =
    val x = place(index)
    access(bytes.hash(memory, x, scale))

  private def bytes: Bytes = kind match
    case Table.Kind.Aligned  => struct.alignedBytes
    case Table.Kind.Packed   => struct.packedBytes
    case Table.Kind.Columnar => struct.columnarBytes

  /** What a row is by, to [[Bytes]], and the distance of its columns. */
  private def place(index: Long): Long =
    val row = Objects.checkIndex(index, used)
    if kind == Table.Kind.Columnar then first + row else row * stride
  private def scale: Long = if kind == Table.Kind.Columnar then capacity else 1

  /** The rows `[from, until)` as a view: the same memory, and no copy. */
  final def slice(from: Long, until: Long): Table[T, L] =
    Table.checkRange(from, until, used)
    // One way for all layouts: a call that one of them seldom makes would not be inlined, and its
    // segment be an object.
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

  /** Copies all rows of a table of the same size and layout, as bytes: the fastest way there is. */
  final def copyFrom(source: Table[T, L]): Unit =
    Table.checkSameSize(used, source.used)
    BulkCopy.all(source, this)

  /** Copies the values into the rows `[at, at + values.length)`. */
  final def copyFrom(values: Array[T], at: Long = 0): Unit =
    Table.checkRange(at, at + values.length, used)
    var i = 0
    while i < values.length do
      storeAt(at + i, values(i))
      i += 1

  /** Copies the rows `[at, at + target.length)` into an array. */
  final def copyTo(target: Array[T], at: Long = 0): Unit =
    Table.checkRange(at, at + target.length, used)
    confirm()
    var i = 0
    while i < target.length do
      target(i) = loadChecked(at + i)
      i += 1
    confirm()

  @publicInBinary private[struct] def run(step: T => Boolean): Unit =
    var i = 0L
    var going = true
    try
      while going && i < used do
        confirm()
        val rows = Table.block(used - i, Table.BlockRows)
        going = each(i, rows, step)
        i += rows
      confirm()
    catch case error: Throwable => throw explained(error)

  private def each(from: Long, rows: Int, step: T => Boolean): Boolean = kind match
    case Table.Kind.Aligned => struct.eachAligned(memory, from * struct.size, rows, step)
    case Table.Kind.Packed  => struct.eachPacked(memory, from * struct.packedSize, rows, step)
    case Table.Kind.Columnar =>
      struct.eachColumns(memory, capacity, first + from, rows, step)

  /** What `apply` runs where the type or the layout is not known. */
  @publicInBinary private[struct] final def load(index: Long): T =
    loadChecked(Objects.checkIndex(index, used))

  /** A checked reference to a row, which may outlive the table and be used on any thread. For rows,
    * not for columns: there a row is not in one place.
    */
  inline def ref(index: Long): Reference[T, L] = ${ Single.ref('this, 'index) }

  @publicInBinary private[struct] final def refAt(index: Long): Reference[T, L] =
    if source != null then Table.unreferable(source.name)
    Reference.at(Cage.moved(address.bits, Objects.checkIndex(index, used) * stride))

  private def loadChecked(index: Long): T =
    access:
      kind match
        case Table.Kind.Aligned  => struct.loadAligned(memory, index * struct.size)
        case Table.Kind.Packed   => struct.loadPacked(memory, index * struct.packedSize)
        case Table.Kind.Columnar => struct.loadColumns(memory, capacity, first + index)

  /** What an access failed with, the error that names the region that has been closed, or that of a
    * file whose pages are gone.
    */
  @publicInBinary private[undercroft] final def explained(error: Throwable): Throwable =
    error match
      case _: (RuntimeException | InternalError) if source != null => source.explained(error)
      case _: RuntimeException if !memory.scope.isAlive =>
        val stale =
          try
            Cage.check(address.bits, 0, 1)
            Cage.closing(address.bits)
          catch case stale: MemoryException => stale
        stale.addSuppressed(error)
        stale
      case _ => error

  /** What a loop over rows begins and ends with: refuses a file that has become shorter, and what
    * was read of it.
    */
  @publicInBinary private[undercroft] final def confirm(): Unit =
    if source != null then source.check()

  /** Refuses a thread that the memory is not for, and a table that has been closed. */
  private[struct] final def admit(): Unit =
    access:
      if used > 0 then
        val _ = memory.get(Unaligned.byte, 0)
      else if !memory.scope.isAlive then throw IllegalStateException("Already closed")

  /** What `update` runs where the type or the layout is not known. */
  @publicInBinary private[struct] final def store(index: Long, value: T): Unit =
    storeAt(Objects.checkIndex(index, used), value)

  private[struct] final def storeAt(index: Long, value: T): Unit =
    access:
      kind match
        case Table.Kind.Aligned  => struct.storeAligned(memory, index * struct.size, value)
        case Table.Kind.Packed   => struct.storePacked(memory, index * struct.packedSize, value)
        case Table.Kind.Columnar => struct.storeColumns(memory, capacity, first + index, value)

  /** The memory from an offset on, for a loop whose offsets start at 0. */
  @publicInBinary private[struct] final def block(from: Long, bytes: Long): MemorySegment =
    if from == 0 then memory else memory.asSlice(from, bytes)

  /** As many elements of `size` bytes as there are rows. */
  @publicInBinary private[struct] final def part(from: Long, size: Long): MemorySegment =
    memory.asSlice(from, used * size)

  /** A table of the same layout with `size` rows that hold what their memory held. */
  private[struct] final def another(size: Long, allocator: Allocator): Table[T, L] =
    Table.uninit(kind, size)(using struct, allocator)

  private[struct] final def stride: Long = kind.bytesPerRow(struct)

  override def toString: String = s"$kind table of $used ${struct.shape.name}"
end Table

/** Structs one after the other under the C ABI. */
type Rows[T] = Table[T, Aligned]

/** Structs one after the other without padding. */
type PackedRows[T] = Table[T, Packed]

/** A column for every field: what a loop does not read costs nothing, and loops vectorise. */
type Columns[T] = Table[T, Columnar]

object Table:
  private[undercroft] enum Kind derives CanEqual:
    case Aligned, Packed, Columnar

    def bytesPerRow(struct: Struct[?]): Long = this match
      case Aligned  => struct.size
      case Packed   => struct.packedSize
      case Columnar => struct.columnarSize

  /** A table of rows that hold what their memory held. */
  private[struct] def uninit[T, L <: Layout](kind: Table.Kind, size: Long)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] = make(kind, size, allocator.allocateUninit)

  private[struct] def make[T, L <: Layout](
      kind: Table.Kind,
      size: Long,
      allocate: (Long, Long) => MemorySegment
  )(using struct: Struct[T]): Table[T, L] =
    val capacity = room(kind, size)
    val memory = allocate(Math.multiplyExact(capacity, kind.bytesPerRow(struct)), 64)
    new Table(memory, Cage.addressOf(memory), kind, 0, capacity, size)

  /** Columns start at multiples of 64 bytes. */
  private[undercroft] def room(kind: Table.Kind, size: Long): Long =
    if size < 0 then throw IllegalArgumentException(s"a table of $size rows")
    if kind == Table.Kind.Columnar then Math.multiplyExact(Math.ceilDiv(size, 64L), 64L) else size

  /** Rows of a block in a loop of a struct's own. */
  private inline val BlockRows = 4096

  /** The rows of the next block of a loop. */
  @publicInBinary private[struct] def block(remaining: Long, most: Int): Int =
    Math.min(remaining, most).toInt

  @publicInBinary private[struct] def empty(operation: String): Nothing =
    throw java.util.NoSuchElementException(s"$operation of no values")

  private[struct] def unreferable(name: String): Nothing =
    throw UnsupportedOperationException(
      s"a row of $name is in a file, and references are to memory: use rows(i) or updateAt"
    )

  @publicInBinary private[struct] def checkSameSize(target: Long, source: Long): Unit =
    if target != source then
      throw IllegalArgumentException(s"a source of $source rows for a target of $target")

  private[struct] def checkRange(from: Long, until: Long, size: Long): Unit =
    if from < 0 || until < from || until > size then
      throw IndexOutOfBoundsException(s"rows [$from, $until) are not within [0, $size)")
end Table
