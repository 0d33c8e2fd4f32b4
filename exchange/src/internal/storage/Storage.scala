package undercroft.exchange
package internal.storage

/** The ways to keep a trading day, in the order in which they run: the slowest ones last. */
enum Storage(val name: String, val layout: String, val about: String) derives CanEqual:
  case Ints extends Storage("int-array", "4 Ints", "a flyweight over one Int array")
  case Heap extends Storage("heap-buffer", "packed", "a ByteBuffer on the heap")
  case Direct extends Storage("direct-buffer", "packed", "a ByteBuffer off the heap")
  case Raw extends Storage("unsafe", "packed", "sun.misc.Unsafe, unchecked")
  case Segment extends Storage("segment", "packed", "a MemorySegment of a shared arena")
  case InRows extends Storage("rows", "C ABI", "Undercroft's Rows")
  case InPackedRows extends Storage("packed-rows", "packed", "Undercroft's PackedRows")
  case InColumns extends Storage("columns", "columns", "Undercroft's Columns")
  case Arrays extends Storage("array-buffer", "objects", "objects in an ArrayBuffer")
  case Lists extends Storage("list-buffer", "objects", "objects in a ListBuffer")

  /** Opens a day for up to `trades` trades; throws CapacityExceeded with the reason if it cannot.
    */
  def open(trades: Long): StockExchange = this match
    case Lists        => ListBufferExchange(trades)
    case Arrays       => ArrayBufferExchange(trades)
    case Ints         => IntArrayExchange(trades)
    case Heap         => BufferExchange.heap(trades)
    case Direct       => BufferExchange.direct(trades)
    case Raw          => UnsafeExchange(trades)
    case Segment      => SegmentExchange(trades)
    case InRows       => RowsExchange(trades)
    case InPackedRows => PackedRowsExchange(trades)
    case InColumns    => ColumnsExchange(trades)
end Storage

object Storage:
  def named(name: String): Option[Storage] = values.find(_.name == name)
