package undercroft.arrow
package internal.exchange

import internal.ipc.ArrowSource
import java.lang.foreign.{Arena, MemorySegment}
import java.util.concurrent.atomic.AtomicInteger
import scala.annotation.publicInBinary
import undercroft.file.FieldSlices
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, TableFactory}

/** Tables to and from `ArrowArrayStream` structs of C. */
@publicInBinary private[arrow] object ArrowExchange:
  import CStructs.Stream

  @publicInBinary private[arrow] def exportTable[T, L <: Layout](
      table: Table[T, L],
      stream: MemorySegment,
      batchRows: Int
  ): Unit =
    val target = CStructs.checkedAddress(stream, Stream.Bytes, "the ArrowArrayStream")
    exported(table, batchRows, false, AtomicInteger()).putStream(target)

  @publicInBinary private[arrow] def lendTable[T, L <: Layout, A](
      table: Table[T, L],
      batchRows: Int,
      f: MemorySegment => A
  ): A =
    val unreleased = AtomicInteger()
    val arena = Arena.ofShared().nn
    try
      // The pages of a mapped file may be gone when C reads them.
      val shared = exported(table, batchRows, table.source eq null, unreleased)
      val stream = arena.allocate(Stream.Bytes, 8).nn
      shared.putStream(stream.address)
      val result =
        try f(stream)
        catch
          case error: Throwable =>
            try finish(stream, unreleased)
            catch case late: IllegalStateException => error.addSuppressed(late)
            throw error
      finish(stream, unreleased)
      result
    finally arena.close()
  end lendTable

  /** Releases the stream, unless the consumer has released or moved it. */
  private def finish(stream: MemorySegment, unreleased: AtomicInteger): Unit =
    ArrowCallbacks.releasedStream(stream.address)
    val count = unreleased.get
    if count != 0 then
      throw IllegalStateException(
        s"the library must release each schema, array and stream before the call ends, but " +
          s"$count are not released"
      )

  private def exported[T, L <: Layout](
      table: Table[T, L],
      batchRows: Int,
      isBorrowed: Boolean,
      unreleased: AtomicInteger
  ): ExportedStream =
    CStructs.checkAccess()
    ArrowFile.check(batchRows)
    val lanes = FieldSlices.withOutOfLine(table)
    try ExportedArrays(lanes, batchRows, isBorrowed, unreleased).stream
    catch
      case typed: ArrowException => throw typed
      case error: Throwable      => throw lanes.translate(error)

  @publicInBinary private[arrow] def importTable[T, L <: Layout](
      tables: TableFactory[L],
      stream: MemorySegment
  )(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    val address = CStructs.checkedAddress(stream, Stream.Bytes, "the ArrowArrayStream")
    val names = FieldSlices.columnsWithOutOfLine(struct, tables.kind).map(_.name).toSet
    val source = ImportedStream(address)
    val copy =
      try ArrowSource.ofCopy(source.copyTo(_, names))
      finally source.close()
    ArrowFile.read(tables, copy)
end ArrowExchange
