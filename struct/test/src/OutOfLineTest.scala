package undercroft.struct

import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_LONG}
import java.nio.charset.StandardCharsets.UTF_8
import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.*
import undercroft.testkit.assertAllocates

case class Article(id: Byte, title: TextRef, photo: BytesRef, note: Option[TextRef], last: Byte)
    derives Struct,
      CanEqual

enum Mail derives Struct, CanEqual:
  case Empty
  case Letter(stamps: Int, words: TextRef)
  case Parcel(content: BytesRef)

class OutOfLineTest extends undercroft.tools.PropertySuite:
  var sum = 0L

  private val texts: Gen[String] =
    val point = Gen.frequency(
      6 -> Gen.choose(0x61, 0x63),
      2 -> Gen.choose(0x80, 0x7ff),
      2 -> Gen.choose(0x800, 0xd7ff),
      1 -> Gen.choose(0xe000, 0xffff),
      1 -> Gen.choose(0x10000, 0x10ffff)
    )
    Gen.listOf(point).map(points => String(points.toArray, 0, points.size))

  private def article(words: String)(using Allocator): Article =
    val bytes = words.getBytes(UTF_8).nn
    val note = Option.when(words.length % 2 == 0)(TextRef(words.reverse))
    Article(-1, TextRef(words), BytesRef(bytes), note, -1)

  test("TextRef and BytesRef fields are stored as two Longs each"):
    assertEquals(
      Struct[Article].layout.show,
      """Article: 72 bytes, aligned to 8
        |       0    1  id                   Byte
        |       1    7  (padding)
        |       8   16  title                Long[2]
        |      24   16  photo                Long[2]
        |      40    1  note.isDefined       Boolean
        |      41    7  (padding)
        |      48   16  note.get             Long[2]
        |      64    1  last                 Byte
        |      65    7  (padding)""".stripMargin
    )
    assertEquals(Struct[Article].packedSize, 51)

  private def holds[L <: Layout](tables: TableFactory[L]): Unit =
    Region.scoped:
      val words = Vector("", "a", "Zoë", "\uD83D\uDE00", "long " * 40_000)
      val values = words.map(article)
      val table = tables[Article](words.size)
      assertEquals(table(0), Article(0, TextRef.empty, BytesRef.empty, None, 0))
      for i <- values.indices.reverse do table(i) = values(i)
      assertEquals(table.toVector, values)
      assertEquals(table.toVector.map(_.title.string), words)
      assertEquals(
        table.toVector.map(article => String(article.photo.toArray, UTF_8)),
        words
      )

  test("TextRef and BytesRef fields are stored and loaded in every layout"):
    holds(Rows)
    holds(PackedRows)
    holds(Columns)
    Region.scoped:
      val rows = Rows.from(List("Ada", "Grace", "Zoë").map(article))
      val (packed, columns) = (PackedRows[Article](3), Columns[Article](3))
      packed.setFrom(rows)(identity)
      columns.setFrom(packed)(article => article)
      assertEquals(columns.toVector, rows.toVector)
      assertEquals(columns.map(_.title.string).toVector, Vector("Ada", "Grace", "Zoë"))
      columns.updateAll(_.title)(title => TextRef(s"$title."))
      assertEquals(columns.count(_.title.contentEquals("Ada.")), 1L)
      assertEquals(columns(2).title.byteLength, 5)
      val growing = Rows.growing[Article]
      for i <- 0 until 3 do growing += article(s"number $i")
      assertEquals(growing.map(_.title.string).toVector, Vector("number 0", "number 1", "number 2"))

  test("a reference reads and stores TextRef and BytesRef fields"):
    Region.scoped:
      for ref <- List(Rows.from(List(article("Ada"))).ref(0)) do
        assertEquals(ref.title.string, "Ada")
        ref.title = TextRef("Augusta")
        ref.photo = BytesRef(Array[Byte](1, 2, 3))
        assertEquals((ref.title.string, ref.photo(2), ref.photo.length), ("Augusta", 3.toByte, 3L))
        assertEquals((ref().id, ref().last), ((-1).toByte, (-1).toByte))
      val packed = PackedRows.from(List(article("Ada"), article("Grace")))
      packed.ref(0).title = packed.ref(1).title
      assertEquals(packed(0).title, packed(1).title)
      assertEquals(packed.ref(0)(_.title.byteLength), 5)

  test("enum cases with TextRef and BytesRef fields are matched in place"):
    Region.scoped:
      val mails =
        List(Mail.Letter(2, TextRef("Dear")), Mail.Empty, Mail.Parcel(BytesRef(Array[Byte](7))))
      val rows = Rows.from[Mail](mails)
      assertEquals(rows.toVector, mails.toVector)
      val total = rows.sumOf:
        case Mail.Letter(stamps, words) => stamps + words.byteLength
        case Mail.Parcel(content)       => content(0).toInt
        case Mail.Empty                 => 100
      assertEquals(total, 113L)

  property("BytesRef at any offset is searched, compared and hashed like an array"):
    val arrays = Gen.listOf(Gen.oneOf[Byte](0, 1, 2, -128, -1)).map(_.toArray)
    forAll(Gen.choose(0, 9), arrays, arrays, arrays): (shift, before, part, after) =>
      Region.scoped:
        val whole = before ++ part ++ after
        val slice = BytesRef(Array.fill[Byte](shift)(9) ++ whole).slice(shift, shift + whole.length)
        val again = BytesRef(whole)
        def isIn(other: Array[Byte]) =
          (0 to whole.length - other.length).exists(i =>
            whole.slice(i, i + other.length).sameElements(other)
          )
        slice.contains(part) && slice.contains(Array.empty[Byte]) &&
        slice.startsWith(before ++ part) == true && slice.startsWith(before) &&
        slice.startsWith(part) == whole.startsWith(part) &&
        slice.contains(part :+ 3.toByte) == false &&
        slice.contains(part ++ part) == isIn(part ++ part) &&
        slice.hash == again.hash && slice.contentEquals(again) && slice.contentEquals(
          whole
        ) && slice == again &&
        !slice.contentEquals(whole :+ 0.toByte) && !again.startsWith(whole :+ 0.toByte)

  property("TextRef is compared, hashed and searched like a String"):
    forAll(texts, texts): (one, other) =>
      Region.scoped:
        val (a, b) = (TextRef(one), TextRef(other))
        val order = java.util.Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8))
        val half =
          one.substring(0, one.offsetByCodePoints(0, one.codePointCount(0, one.length) / 2))
        a.string == one && a.contentEquals(one) && a == TextRef(one) && a.hash == TextRef(
          one
        ).hash &&
        a.contentEquals(b) == (one == other) && a.contentEquals(other) == (one == other) &&
        Integer.signum(a.compare(b)) == Integer.signum(order) &&
        Integer.signum(a.compare(other)) == Integer.signum(order) &&
        a.startsWith(half.nn) && a.contains(half.nn) &&
        a.startsWith(other) == one.startsWith(other) && a.contains(other) == one.contains(other) &&
        a.isEmpty == one.isEmpty && a.byteLength == one.getBytes(UTF_8).nn.length

  property("BytesRef is compared, sliced and searched like an array"):
    val bytes = Gen.listOf(Gen.oneOf[Byte](-128, -1, 0, 1, 127)).map(_.toArray)
    forAll(bytes, bytes, Arbitrary.arbitrary[Int]): (one, other, seed) =>
      Region.scoped:
        val (a, b) = (BytesRef(one), BytesRef(other))
        val random = scala.util.Random(seed)
        val from = random.nextInt(one.length + 1)
        val until = from + random.nextInt(one.length - from + 1)
        val part = one.slice(from, until)
        a.toArray.sameElements(one) && (a == b) == one.sameElements(other) &&
        a.slice(from, until).toArray.sameElements(part) && a.slice(from, until) == BytesRef(part) &&
        a.contains(part) && a.contains(other) == one.containsSlice(other) &&
        a.startsWith(other) == one.startsWith(other) && a.contentEquals(other) == one.sameElements(
          other
        ) &&
        Integer.signum(a.compare(b)) ==
          Integer.signum(java.util.Arrays.compareUnsigned(one, other)) &&
          BytesRef(java.lang.foreign.MemorySegment.ofArray(one).nn) == a &&
          one.indices.forall(i => a(i) == one(i))

  test("structs with TextRef fields are compared and hashed by the content of the text"):
    Region.scoped:
      val words = List("Ada", "Ada", "Adb", "")
      val rows = Rows.from(words.map(article))
      val columns = Columns.from(words.map(article))
      assert(Ref.contentEquals(rows.ref(0), rows.ref(1)))
      assert(!Ref.contentEquals(rows.ref(0), rows.ref(2)))
      assert(Ref.compare(rows.ref(0), rows.ref(2)) < 0)
      assert(Ref.compare(rows.ref(0), rows.ref(3)) > 0)
      assertEquals(Ref.hash(rows.ref(0)), Ref.hash(rows.ref(1)))
      assert(columns.contentEqualsAt(0, 1) && !columns.contentEqualsAt(0, 2))
      assert(columns.compareAt(0, 2) < 0 && columns.compareAt(0, 3) > 0)
      assertEquals(columns.hashAt(0), columns.hashAt(1))

  test("an invalid text or index throws an exception with the position and changes nothing"):
    Region.scoped:
      val rows = Rows.from(List(article("Ada")))
      val half = intercept[IllegalArgumentException](rows.ref(0).title = TextRef("ab\ud800"))
      assertEquals(half.getMessage, "text has half a surrogate pair at 2")
      val nul = intercept[IllegalArgumentException](rows.ref(0).title = TextRef("a\u0000b"))
      assertEquals(nul.getMessage, "text has a NUL at 1: C's texts end there")
      assertEquals(rows(0), article("Ada"))
      val bytes = BytesRef(Array[Byte](1, 2, 3))
      for index <- List(-1L, 3L, Long.MaxValue) do
        val error = intercept[IndexOutOfBoundsException](bytes(index))
        assertEquals(error.getMessage, s"Index $index out of bounds for length 3")
      intercept[IndexOutOfBoundsException](bytes.slice(2, 4))

  test("every use of a TextRef or BytesRef in a closed region throws and names the region"):
    var (text, bytes) = (TextRef.empty, BytesRef.empty)
    val live = Region.shared("evening")
    val (longer, more) = (TextRef("Grace")(using live), BytesRef(Array[Byte](1, 2))(using live))
    Region.named("morning"):
      text = TextRef("Ada")
      bytes = BytesRef(Array[Byte](1))
    for use <- List[() => Any](
        () => text.string,
        () => text.startsWith("A"),
        () => text.contains("d"),
        () => text.compare("Ada"),
        () => text.contentEquals(text),
        () => text.contentEquals(longer),
        () => longer.contentEquals(text),
        () => text.contentEquals(TextRef.empty),
        () => text.hash,
        () => bytes(0),
        () => bytes.toArray,
        () => bytes.contentEquals(more),
        () => bytes.contentEquals(Array[Byte](1)),
        () => bytes.contentEquals(Array[Byte](1, 2)),
        () => bytes.contentEquals(Array.empty[Byte]),
        () => bytes.startsWith(Array[Byte](1, 2))
      )
    do
      val error = intercept[StaleReferenceException](use())
      assert(error.getMessage.contains("morning"), error.getMessage)
    end for
    assert(!longer.contentEquals(TextRef.empty) && !more.contentEquals(Array[Byte](1)))
    live.close()

  test("reading a TextRef whose block of Malloc was freed throws StaleReferenceException"):
    val text = TextRef("Ada Lovelace")(using Malloc)
    assertEquals(text.string, "Ada Lovelace")
    Malloc.free(TextRef.address(text))
    intercept[StaleReferenceException](text.string)

  test("a TextRef field with corrupted bits reads its owner's memory or throws"):
    var foreign = 0L
    Region.scoped:
      val rows = Rows.from(List(article("Ada")))
      val random = scala.util.Random(7)
      val good = TextRef.address(rows.ref(0).title)
      for n <- 0 until 20_000 do
        val bits = if n % 2 == 0 then random.nextLong() else 1L << random.nextInt(64)
        val length = if n % 3 == 0 then random.nextLong() else random.nextInt(1 << 20).toLong
        rows.segment.set(JAVA_LONG, 8, good.offset << 20 | good.generation ^ bits)
        rows.segment.set(JAVA_LONG, 16, length)
        try
          foreign += rows.ref(0).title.hash
          foreign += rows(0).title.byteLength
        catch case _: (MemoryException | IllegalStateException) => ()
      rows.ref(0).title = TextRef("Ada")
      assertEquals(rows(0).title.string, "Ada")

  test("comparing, searching, hashing and storing TextRef and BytesRef allocates nothing"):
    Region.scoped:
      val rows = Rows.from(List("Ada Lovelace", "Grace Hopper").map(article))
      val columns = Columns.from(rows.toVector)
      assertAllocates(0) { if rows.ref(1).title.startsWith("Grace") then sum += 1 }
      assertAllocates(0) { if rows.ref(1).title.contains("Hop") then sum += 1 }
      assertAllocates(0) { sum += rows.ref(1).title.compare("Ada") + rows.ref(0).title.hash }
      assertAllocates(0) { if rows.ref(0).title.contentEquals(rows.ref(1).title) then sum += 1 }
      assertAllocates(0) { sum += rows.ref(0).photo(3) + rows.ref(0).photo.length }
      assertAllocates(0) { rows.ref(0).title = rows.ref(1).title }
      assertAllocates(0) { sum += rows.count(_.title.startsWith("Grace")) }
      assertAllocates(0) { sum += columns.count(_.title.contains("ace")) }
      assertAllocates(0) { if Ref.contentEquals(rows.ref(0), rows.ref(1)) then sum += 1 }
      assertAllocates(0) { if columns.contentEqualsAt(0, 1) then sum += 1 }

  test("creating a TextRef allocates nothing on the heap"):
    val words = "Ada, Gräfin Lovelace"
    assertAllocates(0):
      val text = TextRef(words)(using Malloc)
      sum += text.byteLength
      Malloc.free(TextRef.address(text))

  test("a map key with an out-of-line field does not compile, and the error names the cure"):
    val errors = typeCheckErrors(
      "Region.scoped { val map = StructMap[Article, Int](4); map.contains(article(\"a\")) }"
    ).map(_.message).mkString("\n")
    assert(errors.contains("use a Text[N] or an InlineArray[Byte, N]"), errors)
end OutOfLineTest
