package outside.buffer

import java.awt.image.BufferedImage
import java.io.{ByteArrayOutputStream, EOFException}
import java.util.zip.{Deflater, GZIPOutputStream, Inflater, ZipEntry, ZipOutputStream}
import javax.imageio.ImageIO
import undercroft.buffer.*

/** Decompression that takes no byte beyond the end of its data, read from formats that need it. */
class ExactEndTest extends undercroft.tools.Suite:
  private def zlib(text: String, raw: Boolean = false): ByteString =
    val packed = Buffer()
    Compression.deflate(packed, raw = raw).buffered.writeUtf8(text).close()
    packed.readByteString()

  private def member(text: String): ByteString =
    val packed = Buffer()
    Compression.gzip(packed).buffered.writeUtf8(text).close()
    packed.readByteString()

  for raw <- Seq(false, true); isOwn <- Seq(false, true) do
    test(s"inflate leaves the bytes after its data (raw: $raw, an Inflater of the caller: $isOwn)"):
      for next <- Seq("", "N", "NEXT" * 5000); text <- Seq("", "first", "x" * 100_000) do
        val file = Buffer().write(zlib(text, raw)).writeUtf8(next)
        val source =
          if isOwn then Compression.inflate(file, Inflater(raw)) else Compression.inflate(file, raw)
        assertEquals(source.buffered.readUtf8(), text)
        assertEquals(file.readUtf8(), next)

  test("one Inflater reads the objects of a git pack one after another"):
    val objects = (1 to 50).map(i => s"object $i " * i)
    val pack = Buffer().writeUtf8("PACK").writeInt(2).writeInt(objects.size)
    for text <- objects do // a type and a size, as git stores them; then zlib data of unknown size
      val size = text.length
      pack.writeByte(0x80 | 3 << 4 | size & 15).writeByte(size >> 4).write(zlib(text))
    pack.writeUtf8("the checksum of 20 b")
    val input = pack.inputStream().source().buffered
    assertEquals((input.readUtf8(4), input.readInt()), ("PACK", 2))
    val inflater = Inflater()
    val read =
      for _ <- 1 to input.readInt() yield
        val size = input.readByte() & 15 | input.readByte() << 4
        inflater.reset()
        val text = Compression.inflate(input, inflater).buffered.readUtf8(size)
        text
    assertEquals(read, objects)

  test("a ZIP entry with a data descriptor is read without its compressed size"):
    val out = ByteArrayOutputStream()
    val zip = ZipOutputStream(out)
    val entries = Seq("a.txt" -> "first " * 1000, "b.txt" -> "", "c.txt" -> "third")
    for (name, text) <- entries do
      zip.putNextEntry(ZipEntry(name))
      zip.write(text.getBytes)
      zip.closeEntry()
    zip.close()
    val input = Buffer().write(out.toByteArray)
    for (name, text) <- entries do
      assertEquals(input.readIntLe(), 0x04034b50)
      input.skip(2)
      assertEquals(input.readShortLe() & 8, 8, "sizes follow the data")
      input.skip(18)
      val (nameBytes, extraBytes) = (input.readShortLe(), input.readShortLe())
      assertEquals(input.readUtf8(nameBytes), name)
      input.skip(extraBytes)
      assertEquals(Compression.inflate(input, raw = true).buffered.readUtf8(), text)
      assertEquals(input.readIntLe(), 0x08074b50)
      input.skip(8)
      assertEquals(input.readIntLe(), text.length)

  test("the image of a PNG is one zlib stream over several chunks"):
    val image = BufferedImage(300, 200, BufferedImage.TYPE_INT_RGB)
    val random = scala.util.Random(1)
    for x <- 0 until 300; y <- 0 until 200 do image.setRGB(x, y, random.nextInt())
    val out = ByteArrayOutputStream()
    assert(ImageIO.write(image, "png", out))
    val input = Buffer().write(out.toByteArray)
    input.skip(8)
    var chunks = 0
    val parts = Iterator
      .continually:
        val (size, kind) = (input.readInt(), input.readUtf8(4))
        (size, kind)
      .takeWhile((_, kind) => kind != "IEND")
      .flatMap: (size, kind) =>
        val data = Buffer()
        input.readFully(data, size)
        input.skip(4)
        if kind == "IDAT" then chunks += 1
        Option.when(kind == "IDAT")(data)
    val pixels = Compression.inflate(Source.concat(parts)).buffered
    assertEquals(pixels.readByteArray().length, 200 * (1 + 300 * 3))
    assert(chunks > 1, s"$chunks chunks")

  test("a stream of a PDF ends before its keyword"):
    val content = "BT /F1 12 Tf (Hello) Tj ET\n" * 50
    val file = Buffer().writeUtf8("5 0 obj\n<< /Filter /FlateDecode >>\nstream\n")
    file.write(zlib(content)).writeUtf8("\nendstream\nendobj\n")
    while file.readUtf8Line() != "stream" do ()
    assertEquals(Compression.inflate(file).buffered.readUtf8(), content)
    assertEquals(file.readUtf8(), "\nendstream\nendobj\n")

  test("gunzipMember leaves the next member and all other bytes"):
    val file = Buffer().write(member("one")).write(member("two")).writeUtf8("tail")
    assertEquals(Compression.gunzipMember(file).buffered.readUtf8(), "one")
    assertEquals(Compression.gunzipMember(file).buffered.readUtf8(), "two")
    assertEquals(file.readUtf8(), "tail")
    val cut = Buffer().write(member("one"), 0, 20)
    intercept[EOFException](Compression.gunzipMember(cut).buffered.readUtf8()): Unit

  test("messages of permessage-deflate end at a flush, and an empty one is no error"):
    val (deflater, inflater) = (Deflater(6, true), Inflater(true))
    val (wire, input) = (Buffer(), Buffer())
    val sink = Compression.deflate(wire, deflater)
    val source = Compression.inflate(input, inflater)
    for text <- List("hello", "", "x" * 8192, "y" * 70_000, "", "", "x" * 16_384, "bye") do
      val message = Buffer().writeUtf8(text)
      sink.write(message, message.size)
      sink.flush()
      if wire.isEmpty then input.write(ByteString.of(0, 0, 0, 255, 255)) // an empty block
      else wire.readAll(input)
      val out = Buffer()
      while source.read(out, 1000) != -1 do ()
      assertEquals(out.readUtf8(), text)
      assert(input.isEmpty && !inflater.finished)

  test("input that ends within a message is truncated, also with an Inflater of the caller"):
    val (deflater, wire) = (Deflater(6, true), Buffer())
    val sink = Compression.deflate(wire, deflater)
    sink.write(Buffer().writeUtf8("hello " * 100), 600)
    sink.flush()
    val bytes = wire.readByteArray()
    for cut <- 1 to bytes.length do
      val input = Buffer().write(bytes.dropRight(cut))
      intercept[EOFException](Compression.inflate(input, Inflater(true)).buffered.readUtf8()): Unit
    intercept[EOFException](Compression.inflate(
      Buffer().write(bytes),
      true
    ).buffered.readUtf8()): Unit
end ExactEndTest
