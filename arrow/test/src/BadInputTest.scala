package undercroft.arrow

import java.nio.file.{Files, Path}
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.samples.*

/** Corrupt files: reading either throws an error with the file, the offset and the reason, or
  * returns the changed values.
  */
class BadInputTest extends undercroft.tools.Suite:

  private def sample(rows: Int): Path =
    val file = Samples.path()
    Region.scoped:
      Columns.tabulate[Everything](rows)(i => Everything.of(i.toInt)).writeArrow(file, 16)
    file

  private def reads(file: Path): Unit =
    Region.scoped:
      try
        val table = Rows.readArrow[Everything](file)
        // All values that were read can be decoded.
        for row <- table.iterator do assert(row.int >= Int.MinValue)
      catch
        case error: ArrowException =>
          assertEquals(error.file, file)
          assert(error.offset >= 0, error.getMessage)
          assert(error.getMessage.nn.startsWith(s"$file: offset ${error.offset}: "))

  test("readArrow of a file truncated at any length throws ArrowException"):
    val bytes = Files.readAllBytes(sample(20)).nn
    val file = Samples.path()
    for length <- bytes.length - 1 to 0 by -97 do
      Files.write(file, bytes.take(length))
      val (kind, words) = Samples.failure(Region.scoped(Rows.readArrow[Everything](file)))
      assert(Seq(ArrowErrorKind.Truncated, ArrowErrorKind.NotAnArrowFile).contains(kind), words)

  test("readArrow of a missing file, a folder or another format throws with its kind"):
    val file = Files.writeString(Samples.path(), "ticket,amount,price,buy\n").nn
    val (kind, words) = Samples.failure(Region.scoped(Rows.readArrow[Trade](file)))
    assertEquals(kind, ArrowErrorKind.NotAnArrowFile)
    assertEquals(words, s"$file: offset 0: not an Arrow file: it does not begin with ARROW1")
    val absent = Samples.path("absent.arrow")
    val (absentFault, _) = Samples.failure(Region.scoped(Rows.readArrow[Trade](absent)))
    assertEquals(absentFault, ArrowErrorKind.NotFound)
    val (folder, _) = Samples.failure(Region.scoped(Rows.readArrow[Trade](absent.getParent.nn)))
    assertEquals(folder, ArrowErrorKind.Unreadable)

  test("corrupt metadata bytes throw ArrowException or change the values read"):
    val bytes = Files.readAllBytes(sample(5)).nn
    val seed = Random().nextInt()
    val random = Random(seed)
    val file = Samples.path()
    clue(s"seed $seed")
    for round <- 0 until 1000 do
      val changed = bytes.clone
      for _ <- 0 to random.nextInt(3) do
        // Mostly the footer, which contains all metadata, and the headers of the first messages.
        val at = random.nextInt(3) match
          case 0 => changed.length - 1 - random.nextInt(Math.min(changed.length, 6000))
          case 1 => random.nextInt(Math.min(changed.length, 6000))
          case _ => random.nextInt(changed.length)
        changed(at) = random.nextInt(4) match
          case 0 => 0xff.toByte
          case 1 => 0x7f
          case 2 => 0
          case _ => random.nextInt().toByte
      Files.write(file, changed)
      try reads(file)
      catch
        case error: Throwable =>
          throw AssertionError(s"seed $seed, round $round, $file", error)

  test("forged sizes are rejected before memory is allocated"):
    val bytes = Files.readAllBytes(sample(5)).nn
    // Small eight-byte integers become large, among them rows, offsets and lengths.
    val file = Samples.path()
    for at <- 0 until bytes.length - 8 by 8 if bytes(at) == 5 && bytes(at + 1) == 0 do
      val changed = bytes.clone
      changed(at + 6) = 0x7f
      Files.write(file, changed)
      reads(file)

  private def schema[A](body: => A): String =
    val (kind, words) = Samples.failure(body)
    assertEquals(kind, ArrowErrorKind.WrongSchema, words)
    words

  test("a schema mismatch throws and names the difference"):
    final case class Wider(ticket: Long) derives Struct
    final case class Narrower(ticket: Short) derives Struct
    final case class More(ticket: Int, volume: Int) derives Struct
    final case class Named(ticket: Color) derives Struct
    final case class Texts(price: Text[4]) derives Struct
    val file = Samples.path()
    Region.scoped:
      Rows.tabulate[Trade](10)(Trade.of).writeArrow(file)
      assertEquals(Rows.readArrow[Wider](file)(9).ticket, Trade.of(9).ticket.toLong)
      val narrower = schema(Rows.readArrow[Narrower](file))
      assert(narrower.contains("`ticket` must be int16, but is int32"), narrower)
      val missing = schema(Rows.readArrow[More](file))
      assert(missing.contains("there is no `volume`"), missing)
      val named = schema(Rows.readArrow[Named](file))
      assert(named.contains("`ticket` must be dictionary of text, but is int32"), named)
      val texts = schema(Rows.readArrow[Texts](file))
      assert(texts.contains("`price` must be text, but is int32"), texts)

  test("values that do not fit their field throw and name the row"):
    final case class Long(name: Text[24]) derives Struct
    final case class Short(name: Text[3]) derives Struct
    final case class Two(color: Pair) derives Struct
    final case class Three(color: Color) derives Struct
    final case class Perhaps(name: Option[Text[24]]) derives Struct
    val (texts, colors, nulls) = (Samples.path(), Samples.path(), Samples.path())
    Region.scoped:
      Rows.tabulate[Long](
        20
      )(i => Long(Text(if i == 17 then "too long" else "so"))).writeArrow(texts)
      val (kind, words) = Samples.failure(Rows.readArrow[Short](texts))
      assertEquals(kind, ArrowErrorKind.WrongValue)
      assert(words.contains("row 17 of `name` has 8 bytes, but must have at most 3"), words)

      Rows.tabulate[Three](
        9
      )(i => Three(Color.fromOrdinal(if i == 8 then 2 else 1))).writeArrow(colors)
      val (case_, message) = Samples.failure(Rows.readArrow[Two](colors))
      assertEquals(case_, ArrowErrorKind.WrongValue)
      assert(
        message.contains("row 8 of `color` is \"Blue\", but the cases are Red, Green"),
        message
      )

      Rows.tabulate[Perhaps](9)(i => Perhaps(Option.when(i != 4)(Text("x")))).writeArrow(nulls)
      val (nothing, why) = Samples.failure(Rows.readArrow[Long](nulls))
      assertEquals(nothing, ArrowErrorKind.WrongValue)
      assert(why.contains("`name` is null in row 4, but its field is not an Option"), why)
end BadInputTest

enum Pair derives Struct, CanEqual:
  case Red, Green
