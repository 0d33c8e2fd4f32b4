package undercroft.arrow
package internal.exchange

import com.google.flatbuffers.FlatBufferBuilder
import internal.schema.ArrowSchema
import java.lang.foreign.{Arena, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger
import org.apache.arrow.flatbuf.{Field, Schema as ArrowSchemaTable}
import undercroft.file.ColumnKind

/** Fields of an Arrow schema as an `ArrowSchema` of the C data interface. Usable by any thread. */
private[arrow] final class ExportedSchema(columns: Vector[ColumnKind]):
  import CStructs.*

  /** The fields, in Arrow's own form. */
  val fields: Vector[Field] =
    val builder = FlatBufferBuilder()
    builder.finish(ArrowSchema(columns).build(builder))
    val schema = ArrowSchemaTable.getRootAsSchema(builder.dataBuffer)
    Vector.tabulate(schema.fieldsLength)(schema.fields(_).nn)

  /** Fills the consumer's struct with a new schema, which the consumer releases. */
  def put(target: Long, unreleased: AtomicInteger): Unit =
    val memory = ExportedMemory(unreleased)
    try
      // The target is stored to at the end, so that it is unchanged after a failure.
      val root = memory.arena.allocate(Schema.Bytes, 8).nn
      fill(memory, root.address, "+s", "", None, 0)
      putChildren(memory, root.address, fields)
      bytes(target, Schema.Bytes).copyFrom(root): Unit
    catch
      case error: Throwable =>
        memory.free()
        throw error

  private def putField(memory: ExportedMemory, target: Long, field: Field): Unit =
    val flags = if field.nullable then Schema.Nullable else 0L
    fill(memory, target, CFormat.of(field), field.name.nn, metadata(field), flags)
    if field.dictionary != null then
      val values = memory.arena.allocate(Schema.Bytes, 8).nn.address
      fill(memory, values, CFormat.value(field), "", None, 0)
      setLong(target + Schema.Dictionary, values)
    else putChildren(memory, target, children(field))

  private def children(field: Field): Vector[Field] =
    Vector.tabulate(field.childrenLength)(field.children(_).nn)

  private def putChildren(memory: ExportedMemory, target: Long, fields: Vector[Field]): Unit =
    val pointers = ExportedSchema.structs(memory.arena, fields.size, Schema.Bytes)
    setLong(target + Schema.Children, fields.size)
    setLong(target + Schema.Children + 8, pointers)
    for (field, i) <- fields.zipWithIndex do putField(memory, long(pointers + 8 * i), field)

  private def fill(
      memory: ExportedMemory,
      target: Long,
      format: String,
      name: String,
      metadata: Option[Array[Byte]],
      flags: Long
  ): Unit =
    setLong(target + Schema.Format, memory.arena.allocateFrom(format).nn.address)
    setLong(target + Schema.Name, memory.arena.allocateFrom(name).nn.address)
    metadata.foreach: content =>
      val segment = memory.arena.allocateFrom(ValueLayout.JAVA_BYTE, content*).nn
      setLong(target + Schema.Metadata, segment.address)
    setLong(target + Schema.Flags, flags)
    setLong(target + Schema.Release, ArrowCallbacks.releaseSchema)
    setLong(target + Schema.PrivateData, memory.addStruct())
  end fill

  /** The metadata of a field: a count of pairs, then the length and the bytes of each text. */
  private def metadata(field: Field): Option[Array[Byte]] =
    Option.when(field.customMetadataLength > 0):
      val bytes = java.io.ByteArrayOutputStream()
      def put(number: Int): Unit = for k <- 0 until 4 do bytes.write(number >>> 8 * k)
      def putText(text: String): Unit =
        val content = text.getBytes(UTF_8).nn
        put(content.length)
        bytes.write(content, 0, content.length)
      put(field.customMetadataLength)
      for i <- 0 until field.customMetadataLength do
        val pair = field.customMetadata(i)
        putText(pair.key.nn)
        putText(Option(pair.value).getOrElse(""))
      bytes.toByteArray.nn
end ExportedSchema

private[arrow] object ExportedSchema:
  /** Allocates `count` structs; returns the address of an array of pointers to them. */
  def structs(arena: Arena, count: Int, bytes: Long): Long =
    val pointers = arena.allocate(8L * Math.max(1, count), 8).nn
    val memory = arena.allocate(bytes * Math.max(1, count), 8).nn
    for i <- 0 until count do
      pointers.setAtIndex(ValueLayout.JAVA_LONG, i, memory.address + i * bytes)
    pointers.address
end ExportedSchema
