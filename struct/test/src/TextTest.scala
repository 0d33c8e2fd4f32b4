package undercroft.struct

import internal.bytes.{FixedText, ValueLayouts}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import undercroft.memory.*
import undercroft.testkit.assertAllocates

case class Person(id: Int, name: Text[12], code: Text[3], born: Short) derives Struct, CanEqual
case class Wordy(a: Byte, words: Text[40], b: Byte, note: Option[Text[5]], c: Int, d: Int, e: Long)
    derives Struct,
      CanEqual

class TextTest extends undercroft.tools.PropertySuite:
  var sum = 0L

  /** Texts with code points of all UTF-8 widths. */
  private val texts: Gen[String] =
    val point = Gen.frequency(
      4 -> Gen.choose(1, 0x7f),
      2 -> Gen.choose(0x80, 0x7ff),
      2 -> Gen.choose(0x800, 0xd7ff),
      1 -> Gen.choose(0xe000, 0xffff),
      1 -> Gen.choose(0x10000, 0x10ffff)
    )
    Gen.listOf(point).map(points => String(points.toArray, 0, points.size))

  private def bytesOf(text: String): Int = text.getBytes("UTF-8").nn.length

  private def person(name: String): Person = Person(1, Text(name), Text("x"), 2)

  test("a Text has the layout of a C char array"):
    assertEquals(Struct[Person].size, 24)
    assertEquals(Struct[Person].packedSize, 21)
    assert(Struct[Person].layout.show.contains("4   12  name                 Byte[12]"))

  test("a String with a NUL or half a surrogate pair matches no text, on the heap and on bytes"):
    Region.scoped:
      val rows = Rows.from(List(person("\ud83d\ude00"), person("Ada")))
      for part <- List("\ud83d", "\ude00", "\u0000", "Ada\u0000", "Ada\ud83d", "\ude00da") do
        assert(!rows.exists(_.name.startsWith(part)), part)
        assert(!rows.exists(_.name.contains(part)), part)
        assert(!rows.exists(_.name.contentEquals(part)), part)
        assert(!rows.exists(_.name.compare(part) == 0), part)
        for i <- 0L to 1L do
          val (name, ref) = (rows(i).name, rows.ref(i))
          assert(!name.startsWith(part) && !ref.name.startsWith(part), part)
          assert(!name.contains(part) && !ref.name.contains(part), part)
          assert(!name.contentEquals(part) && !ref.name.contentEquals(part), part)
          assertEquals(name.compare(part), ref.name.compare(part), part)
      assert(Text[12]("Ada").compare("Ada\u0000") < 0)
      assert(Text[12]("Adam").compare("Ada\u0000") > 0)

  private def holds[L <: Layout](tables: TableFactory[L]): Unit =
    Region.scoped:
      val table = tables[Wordy](3)
      assertEquals(table(1), Wordy(0, Text(""), 0, None, 0, 0, 0L))
      val full = Wordy(-1, Text("ä" * 20), -1, Some(Text("12345")), -1, -1, -1L)
      val wordy = Wordy(1, Text("a word"), 2, Some(Text("")), 3, 4, 5L)
      table(0) = full
      table(2) = full
      table(1) = full
      table(1) = wordy
      assertEquals(table.toVector, Vector(full, wordy, full))

  test("Text fields are stored and loaded in every layout and leave other fields unchanged"):
    holds(Rows)
    holds(PackedRows)
    holds(Columns)
    Region.scoped:
      val (rows, packed, columns) = (Rows[Person](2), PackedRows[Person](2), Columns[Person](2))
      rows(1) = person("Ada Lovelace")
      packed.setFrom(rows)(person => person)
      columns.setFrom(packed)(person => person)
      assertEquals(columns(1), person("Ada Lovelace"))
      assertEquals(columns.map(_.name.string).toVector, Vector("", "Ada Lovelace"))
      columns.updateAll(_.code)(_ => Text("né"))
      assertEquals(columns.count(_.code == Text[3]("né")), 2L)
      val growing = PackedRows.growing[Person]
      for i <- 0 until 3 do growing += person(s"number $i")
      assertEquals(growing.map(_.name.string).toVector, Vector("number 0", "number 1", "number 2"))

  test("creating a Text from a too long or invalid String throws with the size or position"):
    assertEquals(
      intercept[IllegalArgumentException](Text[3]("four")).getMessage,
      "text of 4 bytes does not fit in 3: \"four\""
    )
    assertEquals(
      intercept[IllegalArgumentException](Text[8]("a\u0000b")).getMessage,
      "text has a NUL at 1: C's texts end there"
    )
    assertEquals(
      intercept[IllegalArgumentException](Text[8]("ab\ud800")).getMessage,
      "text has half a surrogate pair at 2"
    )

  test("malformed UTF-8 is loaded as replacement characters, and storing a too long result throws"):
    Region.scoped:
      val rows = Rows[Person](2)
      val bytes = rows.segment.asSlice(4, 12).nn.fill(0xff.toByte).nn
      assertEquals(rows(0).name.string, "\ufffd" * 12)
      intercept[IllegalArgumentException](rows(1) = rows(0)): Unit
      assertEquals(rows(1), Person(0, Text(""), Text(""), 0))
      assertEquals(bytes.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 11), 0xff.toByte)

  property("a text is stored as its UTF-8 bytes and zeros in a field of any size"):
    val ascii = Gen.stringOf(Gen.choose(1.toChar, 0x7f.toChar))
    val repeated = Gen.zip(Gen.oneOf(ascii, texts), Gen.choose(1, 9)).map((text, n) => text * n)
    forAll(repeated, Gen.choose(1, 130)): (text, bytes) =>
      val stored = FixedText.truncated(text, bytes)
      val memory = java.lang.foreign.MemorySegment.ofArray(Array.fill(bytes + 2)(7.toByte)).nn
      FixedText.store(memory, 1, bytes, stored)
      val expected = 7.toByte +: stored.getBytes("UTF-8").nn.padTo(bytes, 0.toByte) :+ 7.toByte
      assertEquals(memory.toArray(ValueLayouts.byte).toSeq, expected.toSeq)
      assertEquals(FixedText.load(memory, 1, bytes), stored)
      for from <- 0 until bytes by 8 do
        val rest = memory.asSlice(1 + from, (bytes - from).min(8)).nn.toArray(ValueLayouts.byte).nn
        val word = rest.reverse.foldLeft(0L)((word, byte) => word << 8 | (byte & 0xffL))
        val isAscii = FixedText.isAscii(stored)
        val ascii = FixedText.asciiWord(stored, from)
        assertEquals(FixedText.fieldWord(stored, from, ascii, isAscii), word)
      true

  property("Text.truncated returns the longest prefix that fits"):
    forAll(texts): text =>
      val cut = Text.truncated[7](text).string
      val next = text.offsetByCodePoints(cut.length, if cut.length < text.length then 1 else 0)
      text.startsWith(cut) && bytesOf(cut) <= 7 &&
      (cut == text || bytesOf(text.substring(0, next).nn) > 7)

  property("Text is compared and searched like a String of code points"):
    forAll(texts, texts, Gen.choose(0, 8), Gen.choose(0, 8)): (one, other, from, size) =>
      Region.scoped:
        val ref = Ref(Wordy(0, Text.truncated(one), 0, None, 0, 0, 0L)).words
        val text = ref().string
        val end =
          text.offsetByCodePoints(0, Math.min(from + size, text.codePointCount(0, text.length)))
        val start = text.offsetByCodePoints(0, Math.min(from, text.codePointCount(0, end)))
        val part = text.substring(start, end).nn
        val order =
          java.util.Arrays.compareUnsigned(text.getBytes("UTF-8"), other.getBytes("UTF-8"))
        ref.contentEquals(text) && ref.contentEquals(other) == (text == other) &&
        ref.contains(part) && ref.contains(other) == text.contains(other) &&
        ref.startsWith(text.substring(0, start).nn) &&
        ref.startsWith(other) == text.startsWith(other) &&
        Integer.signum(ref.compare(other)) == Integer.signum(order) &&
        ref.byteLength == bytesOf(text) &&
        ref.hash == Ref(Wordy(9, Text(text), 9, None, 9, 9, 9L)).words.hash

  test("comparing, searching and hashing a Text through a reference allocates nothing"):
    Region.scoped:
      val people = Rows.from(List(person("Ada Lovelace"), person("Grace Hopper")))
      assertAllocates(0) { if people.ref(1).name.startsWith("Grace") then sum += 1 }
      assertAllocates(0) { if people.ref(1).name.contains("Hop") then sum += 1 }
      assertAllocates(0) { if people.ref(0).name.contentEquals("Ada Lovelace") then sum += 1 }
      assertAllocates(0) { sum += people.ref(0).name.compare("Grace") + people.ref(0).name.hash }

  private def inLoops[L <: Layout](tables: TableFactory[L])(using Region): Table[Person, L] =
    tables.from(List("Ada Lovelace", "Grace Hopper", "Zoë", "").map(person))

  test("comparing and searching Text fields in a loop allocates nothing"):
    Region.scoped:
      val (rows, columns) = (inLoops(Rows), inLoops(Columns))
      assertEquals(rows.count(_.name.startsWith("A")), 1L)
      assertEquals(columns.count(_.name.contains("e")), 2L)
      assertEquals(
        rows.filter(_.name.contentEquals("Zoë")).map(_.name.byteLength).toVector,
        Vector(4)
      )
      assertEquals(columns.count(_.name.compare("Grace Hopper") < 0), 2L)
      assertEquals(rows.map(_.name.hash).toVector, columns.map(_.name.hash).toVector)
      assertAllocates(0) { sum += rows.count(_.name.startsWith("Grace")) }
      assertAllocates(0) {
        sum += columns.count(person => person.name.contains("ace") && person.id == 1)
      }
      assertAllocates(0) {
        sum += columns.foldLeft(0L)((total, person) => total + person.name.hash)
      }

  test("a Text on the heap compares and hashes like a Text in a struct"):
    Region.scoped:
      val people =
        List("Ada Lovelace", "Grace Hopper", "Zoë", "", "\ud83d\ude00", "\uffff").map(person)
      val rows = Rows.from(people)
      for i <- people.indices; other <- people.map(_.name.string) do
        val (heap, ref) = (people(i).name, rows.ref(i).name)
        assertEquals(heap.startsWith(other), ref.startsWith(other))
        assertEquals(heap.contains(other), ref.contains(other))
        assertEquals(heap.contentEquals(other), ref.contentEquals(other))
        assertEquals(Integer.signum(heap.compare(other)), Integer.signum(ref.compare(other)))
        assertEquals((heap.hash, heap.byteLength), (ref.hash, ref.byteLength))

  test("using a Text field after its region closed throws an exception that names the region"):
    var ref = Ref.none[Person]
    Region.named("morning"):
      ref = Rows.from(List(person("Ada"))).ref(0)
    for use <- List[() => Any](
        () => ref.name(),
        () => ref.name.startsWith("A"),
        () => ref.name.hash,
        () => ref.name = Text[12]("Grace")
      )
    do
      val error = intercept[StaleReferenceException](use())
      assert(error.getMessage.contains("morning"), error.getMessage)
end TextTest
