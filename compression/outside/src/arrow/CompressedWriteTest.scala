package outside.compression.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, OutputStream}
import java.nio.file.{Files, Path}
import undercroft.arrow.*
import undercroft.file.*
import undercroft.file.format.StructFile
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.Python

final case class Minute(id: Int, words: TextRef, scan: BytesRef, marks: RowsRef[(Int, Text[5])])
    derives Struct,
      CanEqual

/** Files and streams that are written compressed. */
class CompressedWriteTest extends undercroft.tools.Suite:

  private val folder = Files.createTempDirectory("undercroft-compressed-write")

  override def afterAll(): Unit =
    Files.list(folder).forEach(Files.delete(_))
    Files.delete(folder)

  /** Compares the rows with those of pyarrow. */
  private def checkByPyarrow(path: Path, rows: Int): Unit =
    Python.run(sys.env("UNDERCROFT_PYTHON"), "check", "none", s"$rows", s"$path"): Unit

  private def quotes(rows: Int)(using Region): Columns[Quote] =
    Columns.tabulate[Quote](rows)(i => Quote.of(i.toInt))

  for compression <- Seq(ArrowCompression.Lz4, ArrowCompression.Zstd); rows <- Seq(0, 1, 5000) do
    test(s"a $compression file and stream of $rows rows have their values, here and in pyarrow"):
      val file = folder.resolve(s"$compression-$rows.arrow")
      val streamed = folder.resolve(s"$compression-$rows.arrows")
      Region.scoped:
        quotes(rows).writeArrow(file, 700, compression)
        val bytes = ByteArrayOutputStream()
        quotes(rows).writeArrowStream(bytes, 700, compression)
        Files.write(streamed, bytes.toByteArray)
        val wanted = Vector.tabulate(rows)(Quote.of)
        assertEquals(Rows.readArrow[Quote](file).toVector, wanted)
        val stream = ByteArrayInputStream(bytes.toByteArray)
        assertEquals(Columns.readArrowStream[Quote](stream).toVector, wanted)
      checkByPyarrow(file, rows)
      checkByPyarrow(streamed, rows)

  for compression <- Seq(ArrowCompression.Lz4, ArrowCompression.Zstd) do
    test(s"a $compression file and stream of values of any length have their values"):
      val file = folder.resolve(s"$compression-values.arrow")
      Region.scoped:
        val minutes = Vector.tabulate(3000): i =>
          val marks = Vector.tabulate(i % 4)(k => (k * i, Text[5](s"é$k")))
          val scan = BytesRef(Array.tabulate(i % 50)(_.toByte))
          Minute(i, TextRef("naïve " * (i % 9)), scan, RowsRef.from(marks))
        Columns.from(minutes).writeArrow(file, 700, compression)
        assertEquals(Rows.readArrow[Minute](file).toVector, minutes)
        val bytes = ByteArrayOutputStream()
        Rows.from(minutes).writeArrowStream(bytes, 700, compression)
        val stream = ByteArrayInputStream(bytes.toByteArray)
        assertEquals(Columns.readArrowStream[Minute](stream).toVector, minutes)

  for compression <- Seq(ArrowCompression.Lz4, ArrowCompression.Zstd) do
    test(s"a struct file that is written with $compression has its values, here and in pyarrow"):
      val stored = folder.resolve(s"struct-$compression.rows")
      val source = Rows.create[Quote](stored)
      for i <- 0 until 3000 do source += Quote.of(i)
      source.seal()
      source.close()
      val (file, plain) =
        (folder.resolve(s"s-$compression.arrow"), folder.resolve(s"p-$compression.arrow"))
      val opened = StructFile.open(stored)
      try
        opened.writeArrow(file, compression)
        opened.writeArrow(plain, compression = ArrowCompression.None)
        val error = intercept[ArrowException](opened.writeArrow(file, compression))
        assertEquals(error.kind, ArrowErrorKind.Exists)
      finally opened.close()
      assert(Files.size(file) < Files.size(plain) * 3 / 4)
      Region.scoped:
        assertEquals(Rows.readArrow[Quote](file).toVector, Vector.tabulate(3000)(Quote.of))
      checkByPyarrow(file, 3000)
  end for

  test("compressed files are smaller"):
    val sizes =
      for compression <- ArrowCompression.values.toSeq yield
        val path = folder.resolve(s"size-$compression.arrow")
        Region.scoped(quotes(5000).writeArrow(path, compression = compression))
        Files.size(path)
    assert(sizes.tail.forall(_ < sizes.head * 3 / 4), s"$sizes")

  test("a target that fails is its own error, and no temporary file is left"):
    final class Broken extends OutputStream:
      private var count = 0
      def write(byte: Int): Unit =
        count += 1
        if count > 900 then throw IOException("the peer has closed")
    val before = TemporaryFiles.all
    for _ <- 0 until 100 do
      val error = intercept[IOException]:
        Region.scoped(quotes(100).writeArrowStream(Broken(), 10, ArrowCompression.Zstd))
      assertEquals(error.getMessage, "the peer has closed")
    TemporaryFiles.checkOnly(before)
end CompressedWriteTest
