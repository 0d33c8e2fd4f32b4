package undercroft.struct
package internal.bytes

import undercroft.memory.internal.cage.{Cage, CagePacked}
import java.lang.invoke.VarHandle
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Region}

/** The memory of a [[RowsRef]].
  *
  * {{{
  *   0   fingerprint of the layout of the structs
  *   8   the structs, packed
  * }}}
  *
  * The fingerprint makes the bytes safe to copy to another process, whose code may have another
  * layout of the same class.
  */
@publicInBinary private[undercroft] object RunBytes:
  inline val HeaderBytes = 8L

  /** The number of structs in the bytes of a run. */
  @publicInBinary def count(length: Long, stride: Long): Long =
    val bytes = length - HeaderBytes
    if length == 0 then 0
    else if bytes < 0 || bytes % stride != 0 then
      throw IllegalStateException(
        s"a run has a header of $HeaderBytes bytes and structs of $stride bytes, not $length bytes"
      )
    else bytes / stride

  /** The number of structs of a run, after a check of the layout. */
  @publicInBinary def size(run: RowsRef[?], layout: Long, compiled: String, stride: Long): Long =
    val _ = first(run, layout, compiled)
    count(run.byteLength, stride)

  /** As above, if the type of the structs is not known at compile time. */
  @publicInBinary def size(run: RowsRef[?]): Long =
    val struct = run.structOf()
    size(run, struct.fingerprint, text(struct), struct.packedSize.toLong)

  /** The number of structs of a run, after a check of its memory and of its layout. */
  private[undercroft] def checkedCount(address: Long, length: Long, struct: Struct[?]): Long =
    val size = count(length, struct.packedSize)
    if size > 0 then
      Cage.check(address, 0, length)
      if CagePacked.getLong(address, 0) != struct.fingerprint then
        first(new RowsRef(address, length, () => struct), struct.fingerprint, text(struct)): Unit
    size

  /** The address of the struct at an index. */
  @publicInBinary def rowAt(
      run: RowsRef[?],
      fingerprint: Long,
      compiled: String,
      stride: Long,
      index: Long
  ): Long =
    val start = first(run, fingerprint, compiled)
    Cage.moved(start, Objects.checkIndex(index, count(run.byteLength, stride)) * stride)

  /** The address of the first struct, after a check of the layout; 0 if there is no struct. */
  @publicInBinary def first(run: RowsRef[?], fingerprint: Long, compiled: String): Long =
    if run.byteLength == 0 then 0L
    else
      val layoutHash = CagePacked.getLong(run.address, 0)
      if layoutHash != fingerprint then
        throw LayoutMismatchException(
          run.structOf().shape.name,
          "",
          compiled.linesIterator.next().stripPrefix(": "),
          s"another layout, with the hash ${layoutHash.toHexString}"
        )
      Cage.moved(run.address, HeaderBytes)

  /** As [[first]], after a check that all of the run is in the cage, where reads cannot crash. */
  @publicInBinary def begin(run: RowsRef[?], fingerprint: Long, compiled: String): Long =
    if run.byteLength != 0 then Cage.check(run.address, 0, run.byteLength)
    first(run, fingerprint, compiled)

  /** The number of structs, from an address on, that are in one page; at least 1. */
  @publicInBinary def inPage(bits: Long, stride: Long, remaining: Long): Int =
    val rest = Cage.PageBytes - (Cage.offsetOf(bits) & (Cage.PageBytes - 1))
    Math.min(rest / stride, remaining).max(1).toInt

  /** The offset of the page of a byte. */
  @publicInBinary def page(bits: Long, at: Long): Long =
    (Cage.offsetOf(bits) + at) & -Cage.PageBytes

  /** Throws unless earlier reads of the struct at an address were valid. `first` and `last` are
    * offsets in the first and the last page of its block; other pages of it are not compared.
    */
  @publicInBinary def confirm(bits: Long, stride: Long, first: Long, last: Long): Unit =
    VarHandle.loadLoadFence()
    if !Cage.live(bits, last) || (first != last && !Cage.live(bits, first)) then
      Cage.check(bits, 0, stride)

  /** Passes the structs to `step` until it returns false. Each is checked after it was loaded. */
  def each[T](run: RowsRef[T], struct: Struct[T], step: T => Boolean): Unit =
    val stride = struct.packedSize.toLong
    val start = first(run, struct.fingerprint, text(struct))
    val size = count(run.byteLength, stride)
    var i = 0L
    while i < size && step(WholeStructs.load(struct, Cage.moved(start, i * stride), packed = true))
    do i += 1

  @publicInBinary def load[T](run: RowsRef[T], index: Long): T =
    val struct = run.structOf()
    val bits = rowAt(run, struct.fingerprint, text(struct), struct.packedSize, index)
    WholeStructs.load(struct, bits, packed = true)

  private def text(struct: Struct[?]): String =
    s": ${struct.size} bytes aligned to ${struct.alignment}, ${struct.packedSize} packed"

  /** A run of values in memory of an allocator. */
  @publicInBinary def from[T](values: IterableOnce[T], allocator: Allocator)(using
      Struct[T]
  ): RowsRef[T] = Region.scoped(copied(PackedRows.from(values), allocator))

  @publicInBinary def fromView[T](values: View[T], allocator: Allocator)(using
      Struct[T]
  ): RowsRef[T] = Region.scoped(copied(PackedRows.from(values), allocator))

  private def copied[T](rows: PackedRows[T], allocator: Allocator)(using
      struct: Struct[T]
  ): RowsRef[T] =
    val structOf = () => struct
    if rows.isEmpty then new RowsRef(0, 0, structOf)
    else
      val segment = rows.segment
      val address = OutOfLine.copiedAfter(struct.fingerprint, segment, allocator)
      new RowsRef(address, HeaderBytes + segment.byteSize, structOf)
end RunBytes
