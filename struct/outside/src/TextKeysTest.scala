package outside.struct

import undercroft.memory.Region
import undercroft.struct.*
import undercroft.testkit.{assertAllocates, bytesPerCall}

case class Headline(id: Int, title: Text[100]) derives Struct

/** Texts as keys, from strings that can and cannot be stored. */
class TextKeysTest extends undercroft.tools.Suite:
  var sum = 0L

  private val storable = Seq(
    "",
    "a",
    "seven77",
    "eight888",
    "nine99999",
    "fifteen15151515",
    "sixteen161616161",
    "é",
    "ééééééé",
    "seven77é",
    "é-sixteen-in-all",
    "\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00"
  ).filter(_.getBytes("UTF-8").nn.length <= 16)

  private val tooLong =
    Seq(
      "sixteen161616161!",
      "sixteen161616161" * 3,
      "é" * 9,
      "é-sixteen-in-all!",
      "fifteen15151515é"
    )

  private val withNul =
    for
      size <- Seq(1, 3, 7, 8, 9, 12, 15, 16)
      at <- 0 until size
    yield "x" * at + "\u0000" + "x" * (size - at - 1)

  private val halves = Seq("\ud83d", "x\ude00", "eight888\ud83d", "\ud83dnine99999")

  test("a key is found by each string that can be stored, and by no other"):
    Region.scoped:
      val numbers = StructMap[Text[16], Int]()
      for (text, i) <- storable.zipWithIndex do
        numbers(Text[16](text)) = i
        assert(!numbers.contains(Text[16]("~" + text.take(2))))
      for (text, i) <- storable.zipWithIndex do
        val copy = String(text.toCharArray)
        assertEquals(numbers(Text[16](copy)), i, text)
        assertEquals(numbers.get(Text[16](copy)), Some(i))
        assertEquals(
          numbers.getOrElse(Text.truncated[16](copy + "\u0001" * 20), -1),
          if bytes(copy) == 16 then i else -1
        )
      val found = Set.newBuilder[String]
      numbers.foreach((name, _) => found += name.string)
      assertEquals(found.result(), storable.toSet)
      for text <- storable do assert(numbers.remove(Text[16](text)), text)
      assertEquals(numbers.size, 0L)

  test("a string that cannot be stored is rejected with its error by each operation"):
    Region.scoped:
      val numbers = StructMap[Text[16], Int]()
      val names = StructSet[Text[16]]()
      for (text, i) <- storable.zipWithIndex do
        numbers(Text[16](text)) = i
        names.add(Text[16](text)): Unit
      for text <- tooLong ++ withNul ++ halves do
        val expected = intercept[IllegalArgumentException](Text[16](text)).getMessage
        def rejects(operation: => Any): Unit =
          assertEquals(intercept[IllegalArgumentException](operation).getMessage, expected, text)
        rejects(numbers(Text[16](text)))
        rejects(numbers.get(Text[16](text)))
        rejects(numbers.getOrElse(Text[16](text), 0))
        rejects(numbers.contains(Text[16](text)))
        rejects(numbers(Text[16](text)) = 1)
        rejects(numbers.updateOrElse(Text[16](text), 0)(_ + 1))
        rejects(numbers.remove(Text[16](text)))
        rejects(names.contains(Text[16](text)))
        rejects(names.add(Text[16](text)))
        rejects(names.remove(Text[16](text)))
      assertEquals(numbers.size, storable.size.toLong)
      assertEquals(names.size, storable.size.toLong)
      for (text, i) <- storable.zipWithIndex do assertEquals(numbers(Text[16](text)), i)

  test("the error for an absent key contains the key"):
    Region.scoped:
      val numbers = StructMap[Text[16], Int]()
      for text <- storable do
        val error = intercept[NoSuchElementException](numbers(Text[16](text)))
        assertEquals(error.getMessage, s"no value of the key $text")

  test("texts in tuples and of every size up to two words are found"):
    Region.scoped:
      val one = StructMap[Text[1], Int]()
      val three = StructMap[Text[3], Int]()
      val eight = StructMap[Text[8], Int]()
      val eleven = StructMap[(Int, Text[11]), Int]()
      for (text, i) <- Seq("", "a", "b", "z").zipWithIndex do
        one(Text[1](text)) = i
        three(Text[3](text + "é".take(text.length))) = i
        eight(Text[8](text + "seven77".drop(1 - text.length.min(1)))) = i
        eleven((i, Text[11](text + "ten1010101"))) = i
      for (text, i) <- Seq("", "a", "b", "z").zipWithIndex do
        assertEquals(one(Text[1](text)), i)
        assertEquals(three(Text[3](text + "é".take(text.length))), i)
        assertEquals(eight(Text[8](text + "seven77".drop(1 - text.length.min(1)))), i)
        assertEquals(eleven((i, Text[11](text + "ten1010101"))), i)

  test("lookups and changes by text keys of any size and script allocate nothing"):
    for alphabet <- Seq("x", "é", "\ud83d\ude00") do
      Region.scoped:
        val counts = StructMap[Text[100], Long]()
        val pairs = StructMap[(Int, Text[60]), Long]()
        val names = StructSet[Text[100]]()
        for size <- Seq(4, 31, 32, 33, 48, 59, 99, 100) do
          val name = alphabet * (size / bytes(alphabet))
          val shorter = Text.truncated[60](name).string
          assertAllocates(0)(counts.updateOrElse(Text[100](name), 0L)(_ + 1))
          assertAllocates(0)(counts(Text[100](name)) = 7L)
          assertAllocates(0) { sum += counts.getOrElse(Text[100](name), 0L) }
          assertAllocates(0) { sum += counts(Text[100](name)) }
          assertAllocates(0)(pairs.updateOrElse((size, Text[60](shorter)), 0L)(_ + 1))
          assertAllocates(0) { if names.add(Text[100](name)) then sum += 1 }
          assertAllocates(0) { if names.remove(Text[100](name)) then sum += 1 }
          assertEquals((counts(Text[100](name)), names.size), (7L, 0L))
        assert(counts.size > 4 && pairs.size == 8, s"$counts, $pairs")

  test("stores of long texts in rows and through references allocate nothing"):
    Region.scoped:
      val (rows, columns) = (Rows[Headline](2), Columns[Headline](2))
      for title <- Seq("x" * 33, "x" * 99, "x" * 100, "é" * 50, "x" * 40 + "é") do
        assertAllocates(0) { rows(1) = Headline(1, Text(title)) }
        assertAllocates(0) { columns(1) = Headline(1, Text(title)) }
        assertAllocates(0) { rows.ref(0).title = Text[100](title) }
        assertEquals((rows(1), columns(1)), (Headline(1, Text(title)), Headline(1, Text(title))))
        assertEquals(rows(0).title.string, title)

  test("the canary detects the array that a text's bytes take on the heap"):
    val name = "x" * 48
    val allocated = bytesPerCall(assert(name.getBytes("UTF-8").length > 0))
    assert(allocated >= 48, s"$allocated bytes a call")

  private def bytes(text: String): Int = text.getBytes("UTF-8").nn.length
end TextKeysTest
