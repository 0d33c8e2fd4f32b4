package outside.file

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardOpenOption}
import scala.util.Using
import undercroft.file.*
import undercroft.struct.Text

class LinesTest extends undercroft.tools.Suite:

  private def withFile[A](content: String)(f: Path => A): A =
    val path = Files.createTempFile("lines", ".txt").nn
    try
      Files.writeString(path, content)
      f(path)
    finally Files.delete(path)

  /** The lines of a block as Strings, with their line feeds. */
  private def linesOf(block: LineBlock): Vector[String] =
    val lines = Vector.newBuilder[String]
    var at = block.from
    while at < block.until do
      val end = Math.min(block.indexOf('\n', at) + 1, block.until)
      val bytes =
        block.memory.asSlice(at, end - at).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)
      lines += String(bytes, UTF_8)
      at = end
    lines.result()

  private def linesOf(path: Path, grain: Long): Vector[String] =
    parFoldLines(path, grain)(Vector[String]())((lines, block) => lines ++ linesOf(block))(_ ++ _)

  private val random = java.util.SplittableRandom(7)
  private val contents = Seq(
    "",
    "\n",
    "\n\n\n",
    "a",
    "a\n",
    "a\nbc",
    "\nabcdefgh\n\nabcdefghi",
    "é;京\n\ud83d\ude00\n",
    Vector.fill(400)("x" * random.nextInt(40)).mkString("\n"),
    Vector.fill(3)("y" * 300_000).mkString("", "\n", "\n")
  )

  for (content, number) <- contents.zipWithIndex do
    test(s"the lines of text $number are folded once each, in their order, for every grain"):
      withFile(content): path =>
        val expected = content.split("(?<=\n)").toVector.filter(_.nonEmpty)
        val size = content.getBytes(UTF_8).length.toLong
        val small = if size < 10_000 then Seq(1L, 2L, 3L, 7L, 8L, 9L, 64L) else Nil
        for grain <- small ++ Seq(4095L, 4096L, 65_536L, 300_001L, 1L << 40) do
          assertEquals(linesOf(path, grain), expected, s"grain $grain")

  test("lines of several reads belong to one range"):
    val lines = Vector.tabulate(60_000)(i => s"line $i of a longer text\n")
    withFile(lines.mkString): path =>
      val blocks = parFoldLines(path)(Vector[Int]())((sizes, block) =>
        sizes :+ linesOf(block).size
      )(_ ++ _)
      assert(blocks.size > 1, blocks)
      assertEquals(blocks.sum, lines.size)

  test("lines end at the new end of a file that is cut while it is read"):
    withFile("0123456\n" * 200_000): path =>
      var count = 0
      val calls = parFoldLines(path)(0)((calls, block) =>
        if calls == 0 then
          Using.resource(FileChannel.open(path, StandardOpenOption.WRITE).nn)(_.truncate(800_003))
        count += linesOf(block).size
        calls + 1
      )(_ + _)
      assert(calls > 1)
      assertEquals(count, 100_001)

  test("a line of more bytes than the limit throws with its position"):
    withFile("short\n" + "z" * MaxLineBytes + "\n"): path =>
      val error = intercept[IOException](linesOf(path, 1L << 30))
      assert(
        error.getMessage.contains("the line at 6 has more than 1048576 bytes"),
        error.getMessage
      )
    withFile("short\n" + "z" * (MaxLineBytes - 1) + "\n"): path =>
      assertEquals(linesOf(path, 1L << 30).map(_.length), Vector(6, MaxLineBytes))

  test("a file that does not exist and a grain below 1 throw"):
    intercept[java.nio.file.NoSuchFileException](linesOf(Path.of("no/such/file"), 1)): Unit
    withFile("a\n"): path =>
      val error = intercept[IllegalArgumentException](linesOf(path, 0))
      assertEquals(error.getMessage, "grain must be at least 1: 0")

  test("the memory of a block is closed after its call"):
    withFile("a\n"): path =>
      var last: LineBlock | Null = null
      val _ = parFoldLines(path)(0)((count, block) =>
        last = block; count
      )(_ + _)
      assert(!last.nn.memory.scope.nn.isAlive)

  test("indexOf finds the first of a character at every place, and rejects one that is not ASCII"):
    withFile("abcdefghijklmnopqrstuvwxyz;0\n"): path =>
      val places = parFoldLines(path)(Vector[Long]())((_, block) =>
        for
          start <- block.from until block.until
          found = block.indexOf('q', start)
        do assertEquals(found, if start <= block.from + 16 then block.from + 16 else block.until)
        assertEquals(block.indexOf('\u0000', block.from), block.until)
        val error = intercept[IllegalArgumentException](block.indexOf('é', block.from))
        assertEquals(error.getMessage, "char must be ASCII: 'é'")
        Vector(block.indexOf(';', block.from), block.indexOf('a', block.from))
      )(_ ++ _)
      assertEquals(places, Vector(26L, 0L))

  private def decimal(text: String, scale: Int): Long = withFile(text): path =>
    parFoldLines(path)(0L)((_, block) => block.decimal(block.from, block.until, scale))(_ + _)

  test("decimal returns the unscaled value of a BigDecimal with the scale"):
    for (text, scale) <- Seq(
        "0" -> 0,
        "-0.5" -> 1,
        "0.5" -> 1,
        "-99.9" -> 1,
        "12" -> 1,
        "007.25" -> 2,
        "-12.3" -> 4,
        "999999999999999999" -> 0,
        "-9.99999999999999999" -> 17
      )
    do
      assertEquals(
        decimal(text, scale),
        BigDecimal(text).setScale(scale).bigDecimal.unscaledValue.longValue
      )

  test("decimal rejects bytes that are not a number of the scale"):
    for (text, scale) <- Seq(
        "-" -> 1,
        "." -> 1,
        "1." -> 1,
        ".5" -> 1,
        "-.5" -> 1,
        "1.2.3" -> 3,
        "1.25" -> 1,
        "1 " -> 0,
        "--1" -> 0,
        "1e5" -> 1,
        "1234567890123456789" -> 0,
        "12345678901234567" -> 2,
        "1.0" -> 0
      )
    do
      val error = intercept[NumberFormatException](decimal(text, scale))
      assertEquals(
        error.getMessage,
        s"\"$text\" is not a decimal number with at most $scale digits after the point and 18 in all"
      )
    end for
    intercept[IllegalArgumentException](decimal("1", 18)): Unit
    intercept[IllegalArgumentException](decimal("1", -1)): Unit

  test("a text of a map is made of the bytes of a line"):
    withFile("Zürich;1\n"): path =>
      val names = parFoldLines(path)(Vector[String]())((names, block) =>
        names :+ Text[20](block.memory, block.from, block.indexOf(';', block.from)).string
      )(_ ++ _)
      assertEquals(names, Vector("Zürich"))
end LinesTest
