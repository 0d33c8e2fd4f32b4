package undercroft.arrow
package internal.exchange

import internal.io.{ArrowFormat, ArrowOutput}
import internal.ipc.{ArrowSource, BatchPlan, MessageWriter}
import java.io.OutputStream
import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.nio.file.{Files, Path}
import org.apache.arrow.flatbuf.MessageHeader
import scala.collection.mutable.HashMap

/** An `ArrowArrayStream` of another library, which is copied as an Arrow stream and released.
  * Confined to one thread.
  *
  * ```text
  * struct            created by              released by
  * ArrowArrayStream  the library             close, in any case
  * ArrowSchema       get_schema              copyTo, when it is copied or rejected
  * ArrowArray        get_next                copyTo, when it is copied or rejected
  * last error        get_last_error (lent)   the library
  * ```
  */
private[arrow] final class ImportedStream(stream: Long) extends AutoCloseable:
  import CStructs.*
  import ImportedStream.*

  if long(stream + Stream.Release) == 0 then
    throw IllegalArgumentException("the ArrowArrayStream is released already")

  /** Copies the fields with these names to a file in Arrow's stream format. */
  def copyTo(file: Path, names: Set[String]): Unit =
    val arena = Arena.ofConfined().nn
    try
      val target = Files.newOutputStream(file).nn
      try
        val output = ArrowOutput(target, ArrowSource.StreamName)
        copy(output, names, arena)
        output.flush()
      finally target.close()
    catch
      case error: java.io.IOException => throw ArrowException.of(ArrowSource.StreamName, 0, error)
    finally arena.close()

  /** Releases the stream. Idempotent. */
  def close(): Unit = release(stream, Stream.Release)

  private def copy(output: ArrowOutput, names: Set[String], arena: Arena): Unit =
    val schema = arena.allocate(Schema.Bytes, 8).nn.address
    check(pull.invokeExact(function(Stream.GetSchema), stream, schema).asInstanceOf[Int])
    val fields =
      try ImportedSchema.of(schema, names)
      finally release(schema, Schema.Release)
    val messages = MessageWriter(output, None)
    messages.write(MessageHeader.Schema, 0)(fields.build): Unit
    val array = arena.allocate(Array.Bytes, 8).nn.address
    val dictionaries = HashMap[Long, Digest]()
    while isNext(array) do
      try
        val batch = ImportedBatch(fields, array)
        for (id, plan) <- batch.dictionaries do
          val digest = Digest.of(plan)
          // A dictionary that differs replaces the one of the arrays before.
          if !dictionaries.get(id).contains(digest) then
            dictionaries(id) = digest
            messages.batch(plan, Some(id)): Unit
        messages.batch(batch.planned, None): Unit
      finally release(array, Array.Release)
    output.putInt(ArrowFormat.Continuation)
    output.putInt(0)
  end copy

  /** Fetches the next array; returns whether there is one. */
  private def isNext(array: Long): Boolean =
    bytes(array, Array.Bytes).fill(0)
    check(pull.invokeExact(function(Stream.GetNext), stream, array).asInstanceOf[Int])
    long(array + Array.Release) != 0

  private def function(offset: Long): MemorySegment =
    MemorySegment.ofAddress(long(stream + offset)).nn

  private def check(code: Int): Unit =
    if code != 0 then
      val text = CStructs
        .text(
          lastError.invokeExact(function(Stream.GetLastError), stream).asInstanceOf[Long],
          MostErrorBytes
        )
        .getOrElse("without a text")
      throw ImportedBatch.error(ArrowErrorKind.Unreadable, s"the library has error $code: $text")
end ImportedStream

private[arrow] object ImportedStream:
  import CStructs.long

  private val linker = Linker.nativeLinker.nn
  private inline val MostErrorBytes = 4096

  private val pull = linker.downcallHandle(
    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG)
  ).nn

  private val lastError = linker.downcallHandle(
    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG)
  ).nn

  private val releasing = linker.downcallHandle(
    FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG)
  ).nn

  /** Releases a struct, whose function is at `offset`, unless it is released. */
  private def release(struct: Long, offset: Long): Unit =
    val function = long(struct + offset)
    if function != 0 then
      releasing.invokeExact(MemorySegment.ofAddress(function).nn, struct): Unit

  /** Identifies the bytes of a dictionary, for the comparison with the next array. */
  private final case class Digest(rows: Int, hash: Vector[Byte]) derives CanEqual

  private object Digest:
    def of(plan: BatchPlan): Digest =
      val digest = java.security.MessageDigest.getInstance("SHA-256").nn
      val sink = java.security.DigestOutputStream(OutputStream.nullOutputStream, digest)
      val output = ArrowOutput(sink, ArrowSource.StreamName)
      for part <- plan.parts do
        output.put(s"${part.bytes} ".getBytes.nn, s"${part.bytes} ".length)
        part.write(output)
      output.flush()
      Digest(plan.rows, digest.digest.nn.toVector)
end ImportedStream
