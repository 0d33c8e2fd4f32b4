package undercroft.struct

import java.lang.foreign.MemorySegment
import java.nio.{ByteBuffer, ByteOrder}
import undercroft.struct.internal.InPlace

/** The rows as one segment, for bulk copies and for native code. It dies with the table. That of a
  * table in a file is its mapping: what happens when the file becomes shorter is the JVM's to say.
  */
extension [T](rows: Rows[T] | PackedRows[T])
  def segment: MemorySegment = rows.memory.asSlice(0, rows.size * rows.stride)

  /** The rows' bytes as a buffer in this machine's order: the same memory, which dies with the
    * table. More than a buffer holds is an IllegalStateException.
    */
  def byteBuffer: ByteBuffer =
    val bytes = rows.segment
    if bytes.byteSize > Int.MaxValue then
      throw IllegalStateException(s"${bytes.byteSize} bytes for a ByteBuffer: use a slice")
    bytes.asByteBuffer.nn.order(ByteOrder.nativeOrder).nn

extension [T](columns: Columns[T])
  /** One field of all rows as one segment, for bulk copies, native code and the Vector API: an
    * array of its type. It dies with the table.
    */
  inline def column[A](inline field: T => A): MemorySegment =
    ${ InPlace.column('columns, 'field) }
