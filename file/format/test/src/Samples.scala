package undercroft.file.format

import java.lang.foreign.ValueLayout.{JAVA_INT_UNALIGNED, JAVA_LONG_UNALIGNED}
import java.lang.foreign.MemorySegment
import java.nio.ByteOrder
import java.nio.file.Path
import java.util.List as JList

/** Lets Java enums be compared under strict equality. */
given kinds: CanEqual[ErrorKind | Null, ErrorKind | Null] = CanEqual.derived
given layouts: CanEqual[FileLayout | Null, FileLayout | Null] = CanEqual.derived
given nullable: CanEqual[Any, Null] = CanEqual.derived

/** Rows of a number and its square, in each layout. */
object Samples:

  def schema(layout: FileLayout): Schema =
    val (second, stride) = layout match
      case FileLayout.ALIGNED => (8, 16L)
      case _                  => (4, 12L)
    Schema(
      "Square",
      layout,
      ByteOrder.nativeOrder,
      stride,
      JList.of(
        Field.Leaf("number", 0, Type.Primitive.INT),
        Field.Leaf("square", second, Type.Primitive.LONG)
      )
    )

  /** A path in a temporary folder that is created for the test. */
  def path(name: String = "squares.rows"): Path =
    undercroft.tools.TemporaryFolders.create("undercroft-file-format").resolve(name).nn

  private def places(schema: Schema, capacity: Long, row: Long): (Long, Long) =
    if schema.layout == FileLayout.COLUMNS then (row * 4, capacity * 4 + row * 8)
    else (row * schema.stride, row * schema.stride + (if schema.stride == 16 then 8 else 4))

  def put(writer: StructWriter, from: Long, until: Long): Unit =
    writer.ensureCapacity(until): Unit
    for row <- from until until do
      val (number, square) = places(writer.schema, writer.capacity, row)
      writer.data.set(JAVA_INT_UNALIGNED, number, row.toInt)
      writer.data.set(JAVA_LONG_UNALIGNED, square, row * row)

  /** Appends rows and commits them. */
  def append(writer: StructWriter, rows: Long): Unit =
    val before = writer.rows
    put(writer, before, before + rows)
    writer.commit(before + rows)

  /** Fails unless each committed row has the written values. */
  def check(file: StructFile): Unit = check(file.schema, file.capacity, file.data, file.rows)

  def check(schema: Schema, capacity: Long, data: MemorySegment, rows: Long): Unit =
    for row <- 0L until rows do
      val (number, square) = places(schema, capacity, row)
      val actual = (data.get(JAVA_INT_UNALIGNED, number), data.get(JAVA_LONG_UNALIGNED, square))
      if actual != (row.toInt, row * row) then
        throw AssertionError(s"row $row of $rows is $actual")

  /** A sealed file. */
  def sealedFile(layout: FileLayout, rows: Long, rowsPerBlock: Long): Path =
    val file = path()
    val writer = StructWriter.create(file, schema(layout), rows, Durability.COMMITTED)
    put(writer, 0, rows)
    writer.seal(rows, rowsPerBlock)
    file

  /** The kind and the message of the exception that an operation throws. */
  def failure(body: => Any): (ErrorKind, String) =
    try
      val _ = body
      throw AssertionError("nothing was wrong")
    catch case error: StructFileException => (error.kind, error.getMessage.nn)
end Samples
