package undercroft.struct

import internal.macros.loops.InPlaceLoops
import java.lang.foreign.MemorySegment
import java.nio.{ByteBuffer, ByteOrder}

/** The rows as one segment, for bulk copies and for native code. Valid as long as the table. For a
  * table in a file it is the mapping of the file; the JVM defines the effect of truncating the
  * file.
  */
extension [T](rows: Rows[T] | PackedRows[T])

  /** The rows as one segment.
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_INT
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251)))
    * println(bills.segment.get(JAVA_INT, 12)) // 251
    * }}}
    */
  def segment: MemorySegment = rows.memory.asSlice(0, rows.size * rows.stride)

  /** The rows' bytes as a buffer in native byte order over the same memory, valid as long as the
    * table. More bytes than a buffer can hold throw IllegalStateException.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251)))
    * println(bills.byteBuffer.getInt(12)) // 251
    * }}}
    */
  def byteBuffer: ByteBuffer =
    val bytes = rows.segment
    if bytes.byteSize > Int.MaxValue then
      throw IllegalStateException(
        s"a ByteBuffer holds at most ${Int.MaxValue} bytes, but the rows have ${bytes.byteSize}: " +
          "use a slice"
      )
    bytes.asByteBuffer.nn.order(ByteOrder.nativeOrder).nn
end extension

extension [T](columns: Columns[T])
  /** One field of all rows as one segment, an array of the field's type, for bulk copies, native
    * code and the Vector API. Valid as long as the table.
    *
    * {{{
    * val prices = columns.column(_.price) // an array of Ints, for native code
    * }}}
    */
  inline def column[A](inline field: T => A): MemorySegment =
    ${ InPlaceLoops.column('columns, 'field) }
