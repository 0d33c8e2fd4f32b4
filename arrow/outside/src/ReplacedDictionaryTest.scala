package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import scala.util.Random
import undercroft.arrow.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

enum Morning derives CanEqual:
  case Tea, Milk

enum Evening derives CanEqual:
  case Wine, Tea, Water

enum Drink derives CanEqual:
  case Water, Wine, Milk, Tea

case class Breakfast(guest: Int, drink: Morning) derives Struct, CanEqual
case class Supper(guest: Int, drink: Evening) derives Struct, CanEqual
case class Meal(guest: Int, drink: Drink) derives Struct, CanEqual
case class Named(guest: Int, drink: Text[5]) derives Struct, CanEqual

/** Streams whose dictionary is replaced between record batches. */
class ReplacedDictionaryTest extends undercroft.tools.Suite:

  /** The bytes of the schema, which is the first message and has no body. */
  private def schemaBytes(stream: Array[Byte]): Int =
    8 + ByteBuffer.wrap(stream).order(LITTLE_ENDIAN).getInt(4)

  /** A stream of two programs: the second one's dictionary and rows follow those of the first. */
  private def joined(rows: Int): Array[Byte] =
    val (first, second) = (ByteArrayOutputStream(), ByteArrayOutputStream())
    Region.scoped:
      Columns.tabulate[Breakfast](rows)(i =>
        Breakfast(i.toInt, Morning.fromOrdinal((i % 2).toInt))
      ).writeArrowStream(first, 4)
      Columns.tabulate[Supper](rows)(i => Supper(i.toInt, Evening.fromOrdinal((i % 3).toInt)))
        .writeArrowStream(second, 4)
    val later = second.toByteArray
    first.toByteArray.dropRight(8) ++ later.drop(schemaBytes(later))

  private def drinks(rows: Int): Vector[String] =
    Vector.tabulate(rows)(i => Morning.fromOrdinal(i % 2).toString) ++
      Vector.tabulate(rows)(i => Evening.fromOrdinal(i % 3).toString)

  test("the rows after a replacement have the values of the new dictionary"):
    val stream = joined(11)
    Region.scoped:
      val meals = Columns.readArrowStream[Meal](ByteArrayInputStream(stream))
      assertEquals(meals.toVector.map(_.drink.toString), drinks(11))
      val names = PackedRows.readArrowStream[Named](ByteArrayInputStream(stream))
      assertEquals(names.toVector.map(_.drink.toString), drinks(11))

  test("convertArrow makes an enum of the values of all dictionaries of a stream"):
    val folder = Files.createTempDirectory("outside-arrow")
    val (arrow, copy) = (folder.resolve("meals.arrows"), folder.resolve("meals.cols"))
    try
      Files.write(arrow, joined(11))
      convertArrow(arrow, copy)
      val stored = undercroft.file.format.StructFile.open(copy)
      val kind = stored.schema.fields.get(1) match
        case leaf: undercroft.file.format.Field.Leaf => leaf.`type`.toString
        case other                                   => other.toString
      stored.close()
      assert(kind.contains("[Tea, Milk, Wine, Water]"), kind)
      assertEquals(names(folder), Set("meals.arrows", "meals.cols"))
    finally
      Files.deleteIfExists(arrow)
      Files.deleteIfExists(copy)
      Files.delete(folder)

  private def names(folder: Path): Set[String] = folder.toFile.list.toSet

  test("a value of a later dictionary that the enum lacks is an error with its row"):
    val error = intercept[ArrowException]:
      Region.scoped(Rows.readArrowStream[Breakfast](ByteArrayInputStream(joined(5))).size)
    assertEquals(error.kind, ArrowErrorKind.WrongValue)
    assert(
      error.getMessage.endsWith("row 5 of `drink` is \"Wine\", but the cases are Tea, Milk"),
      error.getMessage
    )

  test("a forged stream with two dictionaries is read or rejected"):
    val sample = joined(20)
    val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
    val random = Random(seed)
    var (read, refused) = (0, 0)
    for round <- 0 until 1000 do
      val bytes = sample.clone
      for _ <- 0 to random.nextInt(3) do
        bytes(random.nextInt(bytes.length)) = (random.nextInt(4) - 1).toByte
      try
        Region.scoped(Rows.readArrowStream[Named](ByteArrayInputStream(bytes)).size)
        read += 1
      catch
        case error: ArrowException => refused += 1
        case error: Throwable      => throw AssertionError(s"seed $seed, round $round", error)
    assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")
end ReplacedDictionaryTest
