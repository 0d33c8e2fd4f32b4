package outside.struct

import undercroft.memory.Region
import undercroft.struct.*
import undercroft.testkit.assertAllocates

case class Shelf(
    short: Text[7],
    word: Text[8],
    name: Text[16],
    wide: Text[17],
    title: Text[33],
    note: Option[Int],
    label: Option[Text[12]]
) derives Struct

/** Comparisons of texts and operations on Options in the function literals of loops, beside the
  * same ones on objects.
  */
class TextLoopsTest extends undercroft.tools.Suite:
  var sum = 0L
  val field: Text[16] = Text("eight888nine")

  private val texts = Seq(
    "",
    "a",
    "b",
    "seven77",
    "eight888",
    "eight888n",
    "eight888nine",
    "eight888ninf",
    "fifteen15151515",
    "sixteen161616161",
    "sixteen161616161x",
    "sixteen161616162y",
    "twenty-four-24-twenty-four",
    "twenty-four-24-twenty-four-33-333",
    "twenty-four-24-twenty-four-33-334",
    "é",
    "éa",
    "ée",
    "seven77é",
    "sixteen1616161é",
    "sixteen1616161éé",
    "\ud83d\ude00",
    "\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude01"
  )

  /** Texts that no field has. */
  private val strange =
    Seq("\u0000", "a\u0000", "\u0000a", "eight888\u0000", "\ud83d", "é\ud83d", "\ude00", "x" * 40)

  private val shelves: Vector[Shelf] =
    for (text, i) <- texts.toVector.zipWithIndex
    yield Shelf(
      Text.truncated[7](text),
      Text.truncated[8](text),
      Text.truncated[16](text),
      Text.truncated[17](text),
      Text.truncated[33](text),
      if i % 3 == 0 then None else Some(i),
      if i % 4 == 0 then None else Some(Text.truncated[12](text))
    )

  private def onEach(check: View[Shelf] => Unit): Unit = Region.scoped:
    check(Rows.from(shelves))
    check(PackedRows.from(shelves))
    check(Columns.from(shelves))

  /** The number of objects for which `p` holds. */
  private def objects(p: Shelf => Boolean): Long = shelves.iterator.count(p).toLong

  test("texts are equal to keys as strings are"):
    onLayouts: rows =>
      for text <- texts do
        val short = Text.truncated[7](text)
        val word = Text.truncated[8](text)
        val name = Text.truncated[16](text)
        val wide = Text.truncated[17](text)
        val title = Text.truncated[33](text)
        assertEquals(rows.shorts(short), objects(_.short == short), text)
        assertEquals(rows.words(word), objects(_.word == word), text)
        assertEquals(rows.names(name), objects(_.name == name), text)
        assertEquals(rows.wides(wide), objects(_.wide == wide), text)
        assertEquals(rows.titles(title), objects(_.title == title), text)

  test("texts are equal to strings and start with them as strings do"):
    onLayouts: rows =>
      for text <- texts ++ strange do
        assertEquals(rows.equalStrings(text), equalObjects(text), text)
        assertEquals(rows.starts(text), startingObjects(text), text)
        for end <- 0 until text.length do
          val prefix = text.take(end)
          assertEquals(rows.starts(prefix), startingObjects(prefix), prefix)

  test("texts are before strings as the bytes of strings are"):
    onLayouts: rows =>
      for text <- texts ++ strange do
        assertEquals(rows.before(text), objectsBefore(text), text)
        for end <- 0 until text.length do
          val prefix = text.take(end)
          assertEquals(rows.before(prefix), objectsBefore(prefix), prefix)

  private def objectsBefore(text: String): Seq[Long] = Seq(
    objects(shelf => isBefore(shelf.short.string, text)),
    objects(shelf => isBefore(shelf.word.string, text)),
    objects(shelf => isBefore(shelf.name.string, text)),
    objects(shelf => isBefore(shelf.wide.string, text)),
    objects(shelf => isBefore(shelf.title.string, text))
  )

  /** The order of the code points, which is that of UTF-8. */
  private def isBefore(text: String, other: String): Boolean =
    java.util.Arrays.compare(text.codePoints.toArray, other.codePoints.toArray) < 0

  private def equalObjects(text: String): Seq[Long] = Seq(
    objects(_.short.string == text),
    objects(_.word.string == text),
    objects(_.name.string == text),
    objects(_.wide.string == text),
    objects(_.title.string == text)
  )

  private def startingObjects(text: String): Seq[Long] = Seq(
    objects(_.short.startsWith(text)),
    objects(_.word.startsWith(text)),
    objects(_.name.startsWith(text)),
    objects(_.wide.startsWith(text)),
    objects(_.title.startsWith(text))
  )

  /** The loops over tables of one layout, whose row type the compiler knows. */
  private trait Loops:
    def shorts(key: Text[7]): Long
    def words(key: Text[8]): Long
    def names(key: Text[16]): Long
    def wides(key: Text[17]): Long
    def titles(key: Text[33]): Long
    def equalStrings(key: String): Seq[Long]
    def starts(key: String): Seq[Long]
    def before(key: String): Seq[Long]

  @annotation.nowarn("msg=duplicated at each inline site")
  private inline def loops[L <: Layout](rows: Table[Shelf, L]): Loops = new Loops:
    def shorts(key: Text[7]) = rows.count(_.short == key)
    def words(key: Text[8]) = rows.count(row => key == row.word)
    def names(key: Text[16]) = rows.size - rows.count(_.name != key)
    def wides(key: Text[17]) = rows.filter(_.wide == key).count(_ => true)
    def titles(key: Text[33]) = rows.count(row => if row.title == key then true else false)
    def equalStrings(key: String) = Seq(
      rows.count(_.short.contentEquals(key)),
      rows.count(_.word.contentEquals(key)),
      rows.count(_.name.contentEquals(key)),
      rows.count(_.wide.contentEquals(key)),
      rows.count(_.title.contentEquals(key))
    )
    def starts(key: String) = Seq(
      rows.count(_.short.startsWith(key)),
      rows.count(_.word.startsWith(key)),
      rows.count(_.name.startsWith(key)),
      rows.count(_.wide.startsWith(key)),
      rows.count(_.title.startsWith(key))
    )
    def before(key: String) = Seq(
      rows.count(_.short.compare(key) < 0),
      rows.count(_.word.compare(key) < 0),
      rows.count(_.name.compare(key) < 0),
      rows.count(_.wide.compare(key) < 0),
      rows.count(_.title.compare(key) < 0)
    )

  private def onLayouts(check: Loops => Unit): Unit = Region.scoped:
    check(loops(Rows.from(shelves)))
    check(loops(PackedRows.from(shelves)))
    check(loops(Columns.from(shelves)))

  test("a key may be a literal, a field, a variable, or another text of the row"):
    Region.scoped:
      val rows = Rows.from(shelves)
      assertEquals(rows.count(_.name == Text[16]("eight888nine")), 1L)
      assertEquals(rows.count(_.name == field), 1L)
      assertEquals(rows.count(_.name == this.field), 1L)
      assertEquals(rows.count(_.title.contentEquals("sixteen161616161")), 1L)
      assertEquals(rows.count(_.title.startsWith("sixteen16161616")), 3L)
      var variable = Text[16]("a")
      assertEquals(rows.count(_.name == variable), 1L)
      var turns = 0
      val odd = rows.count: row =>
        turns += 1
        variable = if turns % 2 == 0 then row.name else Text[16]("never")
        row.name == variable
      assertEquals(odd, shelves.size.toLong / 2)
      val inside = rows.count: row =>
        val key = row.name
        row.name == key
      assertEquals(inside, shelves.size.toLong)
      def called = Text[16]("b")
      assertEquals(rows.count(_.name == called), 1L)
      lazy val late = Text[16]("seven77")
      assertEquals(rows.count(late == _.name), 1L)
      assertEquals(rows.map(_.name == field).count(identity), 1L)
      assertEquals(rows.find(_.name == field).map(_.title.string), Some("eight888nine"))
      assert(rows.exists(_.name == field) && !rows.forall(_.name == field))
      val matched = rows.count:
        case Shelf(_, _, `field`, _, _, _, _) => true
        case _                                => false
      assertEquals(matched, 1L)
      assertEquals(rows.zip(rows).count((a, b) => a.name == field && b.name == field), 1L)

  test("a literal that does not fit throws where there is a row only"):
    Region.scoped:
      val rows = Rows.from(shelves)
      val none = Rows.from(Vector.empty[Shelf])
      assertEquals(none.count(_.short == Text[7]("eight888")), 0L)
      val error = intercept[IllegalArgumentException]:
        rows.count(_.short == Text[7]("eight888"))
      assertEquals(error.getMessage, "text of 8 bytes does not fit in 7: \"eight888\"")

  test("operations on Options are those of objects"):
    onEach: view =>
      val expected = shelves.map(shelf => shelf.note.map(_ * 2).getOrElse(-1))
      assertEquals(view.map(shelf => shelf.note.map(_ * 2).getOrElse(-1)).toVector, expected)
    Region.scoped:
      val (rows, columns) = (Rows.from(shelves), Columns.from(shelves))
      for limit <- 0 to 24 do
        assertEquals(rows.count(_.note.exists(_ > limit)), objects(_.note.exists(_ > limit)))
        assertEquals(columns.count(_.note.forall(_ > limit)), objects(_.note.forall(_ > limit)))
        assertEquals(rows.count(_.note.contains(limit)), objects(_.note.contains(limit)))
        val greatest = rows.map(_.note.getOrElse(limit)).max
        assertEquals(greatest, shelves.map(_.note.getOrElse(limit)).max)
        assertEquals(
          columns.map(_.note.map(_ + limit)).toVector,
          shelves.map(_.note.map(_ + limit))
        )
      assertEquals(rows.count(_.note.isDefined), objects(_.note.isDefined))
      assertEquals(rows.count(_.note.isEmpty), objects(_.note.isEmpty))
      assertEquals(columns.count(_.note.nonEmpty), objects(_.note.nonEmpty))
      val label = Text[12]("seven77")
      assertEquals(rows.count(_.label.contains(label)), 1L)
      assertEquals(rows.count(_.label.exists(_ == label)), 1L)
      assertEquals(rows.count(_.label.exists(_.startsWith("eight"))), 3L)
      assertEquals(
        columns.map(_.label.getOrElse(label).string).toVector,
        shelves.map(_.label.getOrElse(label).string)
      )
      var defaults = 0
      def default =
        defaults += 1
        7
      val total = rows.map(_.note.getOrElse(default)).sum
      assertEquals(total, shelves.map(_.note.getOrElse(7)).sum.toLong)
      assertEquals(defaults, shelves.count(_.note.isEmpty))

  test("comparisons allocate nothing"):
    Region.scoped:
      val rows = Rows.from(shelves)
      val (key, prefix) = (Text[16]("eight888nine"), "eight")
      assertAllocates(0) { sum += rows.count(_.name == key) }
      assertAllocates(0) { sum += rows.count(_.name.startsWith(prefix)) }
      assertAllocates(0) { sum += rows.count(_.title.contentEquals(prefix)) }
      assertAllocates(0) { sum += rows.count(_.name.compare(key.string) < 0) }
      assertAllocates(0) { sum += rows.count(_.note.exists(_ > 3)) }
end TextLoopsTest
