package outside.struct

import java.lang.foreign.{Arena, MemorySegment}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.ConcurrentModificationException
import scala.collection.mutable
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*

/** Texts, and keys of maps and sets, from the bytes of segments. */
class TextBytesTest extends undercroft.tools.Suite:

  /** A map with keys of one size: by bytes, and by Strings. */
  private trait Keys:
    def maxBytes: Int
    def size: Long
    def set(bytes: MemorySegment, from: Long, until: Long, value: Int): Unit
    def increase(bytes: MemorySegment, from: Long, until: Long): Unit
    def remove(bytes: MemorySegment, from: Long, until: Long): Boolean
    def value(bytes: MemorySegment, from: Long, until: Long): Option[Int]
    def value(text: String): Option[Int]
    def set(text: String, value: Int): Unit
    def all: Map[String, Int]

  private inline def keysOf[N <: Int & Singleton](bytes: N)(using Allocator, ValueOf[N]): Keys =
    new Keys:
      private val map = StructMap[Text[N], Int]()
      def size = map.size
      def maxBytes = bytes
      def set(bytes: MemorySegment, from: Long, until: Long, value: Int) =
        map(Text[N](bytes, from, until)) = value
      def increase(bytes: MemorySegment, from: Long, until: Long) =
        map.updateOrElse(Text[N](bytes, from, until), 0)(_ + 1)
      def remove(bytes: MemorySegment, from: Long, until: Long) =
        map.remove(Text[N](bytes, from, until))
      def value(bytes: MemorySegment, from: Long, until: Long) =
        map.get(Text[N](bytes, from, until))
      def value(text: String) = map.get(Text[N](text))
      def set(text: String, value: Int) = map(Text[N](text)) = value
      def all = map.toMap.map((name, value) => name.string -> value)

  private def everySize(using Allocator): List[Keys] =
    List(keysOf(1), keysOf(8), keysOf(9), keysOf(15), keysOf(16), keysOf(17)) ++
      List(keysOf(24), keysOf(31), keysOf(32), keysOf(100))

  private val alphabet = Vector("a", "b", "~", "\u0001", "\u007f", "ż", "€", "𝕏")

  /** A text of exactly `bytes` bytes. */
  private def text(bytes: Int, random: Random): String =
    val builder = StringBuilder()
    var rest = bytes
    while rest > 0 do
      val part = alphabet(random.nextInt(alphabet.size))
      val size = part.getBytes(UTF_8).length
      if size <= rest then
        builder ++= part
        rest -= size
    builder.result()

  /** Calls `use` with segments of all kinds that have the bytes somewhere, at times at their end.
    */
  private def within(bytes: Array[Byte], random: Random)(use: (MemorySegment, Long) => Unit): Unit =
    val from = random.nextInt(9)
    for behind <- List(0, 1, 7, 8, 30) do
      val heap = Array.fill(from + bytes.length + behind)(0xff.toByte)
      System.arraycopy(bytes, 0, heap, from, bytes.length)
      use(MemorySegment.ofArray(heap).asReadOnly, from)
      val arena = Arena.ofConfined()
      try use(arena.allocate(heap.length.max(1)).copyFrom(MemorySegment.ofArray(heap)), from)
      finally arena.close()

  test("a key of each length by its bytes is the key of the same String"):
    val random = Random(1)
    Region.scoped:
      for keys <- everySize; size <- 0 to keys.maxBytes do
        val key = text(size, random)
        val bytes = key.getBytes(UTF_8)
        assertEquals(bytes.length, size)
        within(bytes, random): (segment, from) =>
          val until = from + size
          assertEquals(keys.value(segment, from, until), keys.value(key))
          keys.increase(segment, from, until)
          val value = keys.value(key)
          assert(value.exists(_ > 0), key)
          assertEquals(keys.value(segment, from, until), value)
        keys.set(key, -size)
        within(bytes, random): (segment, from) =>
          assertEquals(keys.value(segment, from, from + size), Some(-size))
          keys.set(segment, from, from + size, size + 1)
          assertEquals(keys.value(key), Some(size + 1))
          keys.set(key, -size)

  for shared <- List(false, true) do
    val region = if shared then "a shared region" else "a confined region"
    test(s"maps in $region with keys by bytes agree with a HashMap of Strings"):
      val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
      val random = Random(seed)
      def run(using Allocator): Unit =
        for keys <- everySize do
          val model = mutable.HashMap[String, Int]()
          // Few letters and common beginnings make keys that differ in one word only.
          val starts = Vector("", "a", "Saint-", "a beginning of more than 16", "żółć" * 7)
          def draw(): String =
            val start = starts(random.nextInt(starts.size))
            Text.truncated[100](start + Integer.toString(random.nextInt(300), 3)).string
          for i <- 1 to 4000 do
            val key = draw()
            val bytes = key.getBytes(UTF_8)
            if bytes.length <= keys.maxBytes then
              val segment = MemorySegment.ofArray(bytes ++ new Array[Byte](random.nextInt(20)))
              val (from, until) = (0L, bytes.length.toLong)
              random.nextInt(5) match
                case 0 =>
                  keys.set(segment, from, until, i)
                  model(key) = i
                case 1 =>
                  keys.increase(segment, from, until)
                  model(key) = model.get(key).fold(1)(_ + 1)
                case 2 =>
                  assertEquals(keys.remove(segment, from, until), model.remove(key).isDefined, seed)
                case 3 =>
                  keys.set(key, i)
                  model(key) = i
                case _ =>
                  assertEquals(keys.value(segment, from, until), model.get(key), s"seed $seed")
              segment.fill(0x7f): Unit
          end for
          assert(model.nonEmpty || keys.maxBytes == 1, seed) // few of the keys have one byte
          assertEquals(keys.all, model.toMap, seed)
          assertEquals(keys.size, model.size.toLong, seed)
      if !shared then Region.scoped(run)
      else
        val region = Region.shared("texts")
        try run(using region)
        finally region.close()
  end for

  test("the bytes of a key with NULs behind them are rejected, also if the key is present"):
    Region.scoped:
      for keys <- everySize; size <- 0 until keys.maxBytes.min(34) do
        val bytes = "name".repeat(9).take(size).getBytes(UTF_8)
        keys.set(String(bytes, UTF_8), size)
        for nuls <- List(1, 2, 8, 9) if size + nuls <= keys.maxBytes do
          within(bytes ++ new Array[Byte](nuls), Random(size)): (segment, from) =>
            val until = from + size + nuls
            def rejects(operation: => Any): Unit =
              val message = intercept[IllegalArgumentException](operation).getMessage
              assert(message.startsWith(s"text of ${size + nuls} bytes contains a NUL"), message)
            rejects(keys.value(segment, from, until))
            rejects(keys.increase(segment, from, until))
            rejects(keys.remove(segment, from, until))
        assertEquals(keys.value(String(bytes, UTF_8)), Some(size))

  test("bytes that are not UTF-8, have a NUL, or are too many are rejected and change nothing"):
    val faults = List(
      "a\u0000b".getBytes(UTF_8) -> "text of 3 bytes contains a NUL: 0x610062",
      Array(0x61, 0xff).map(_.toByte) -> "text of 2 bytes is not UTF-8: 0x61ff",
      Array(0xe2, 0x82).map(_.toByte) -> "text of 2 bytes is not UTF-8: 0xe282",
      Array(0xed, 0xa0, 0x80).map(_.toByte) -> "text of 3 bytes is not UTF-8: 0xeda080"
    )
    Region.scoped:
      for keys <- everySize do
        for (bytes, message) <- faults if bytes.length <= keys.maxBytes do
          within(bytes, Random(1)): (segment, from) =>
            val until = from + bytes.length
            val rejections = List[() => Any](
              () => keys.value(segment, from, until),
              () => keys.set(segment, from, until, 1),
              () => keys.increase(segment, from, until),
              () => keys.remove(segment, from, until)
            ).map(rejected => intercept[IllegalArgumentException](rejected()).getMessage)
            assertEquals(rejections.distinct, List(message))
        // The fault is behind the first words.
        if keys.maxBytes >= 24 then
          val bytes = Array.fill(24)('a'.toByte)
          bytes(20) = 0xc0.toByte
          within(bytes, Random(1)): (segment, from) =>
            val error = intercept[IllegalArgumentException](keys.set(segment, from, from + 24, 1))
            assert(error.getMessage.startsWith("text of 24 bytes is not UTF-8: 0x6161"), error)
        val long = MemorySegment.ofArray(Array.fill(keys.maxBytes + 1)('a'.toByte))
        val tooLong =
          intercept[IllegalArgumentException](keys.increase(long, 0, long.byteSize)).getMessage
        assertEquals(tooLong, s"text of ${long.byteSize} bytes does not fit in ${keys.maxBytes}")
        for (from, until) <- List((-1L, 1L), (1L, 0L), (0L, long.byteSize + 1)) do
          intercept[IndexOutOfBoundsException](keys.set(long, from, until, 1)): Unit
        assertEquals(keys.size, 0L)

  test("an absent key by bytes is named in the error"):
    Region.scoped:
      val bytes = MemorySegment.ofArray("Łódź and a long name".getBytes(UTF_8))
      val (short, long) = (StructMap[Text[8], Int](), StructMap[Text[40], Int]())
      val error = intercept[NoSuchElementException](short(Text(bytes, 0, 7)))
      assertEquals(error.getMessage, "no value of the key Łódź")
      val other = intercept[NoSuchElementException](long(Text(bytes, 0, bytes.byteSize)))
      assertEquals(other.getMessage, "no value of the key Łódź and a long name")

  test("a set finds keys by their bytes, after the bytes of an added key have changed"):
    Region.scoped:
      val names = StructSet[Text[30]]()
      val bytes = MemorySegment.ofArray(new Array[Byte](30))
      for i <- 0 until 1000 do
        val name = s"a name with the number $i".getBytes(UTF_8)
        MemorySegment.copy(MemorySegment.ofArray(name), 0, bytes, 0, name.length)
        assert(names.add(Text[30](bytes, 0, name.length)))
        assert(!names.add(Text[30](bytes, 0, name.length)))
      assertEquals(names.size, 1000L)
      for i <- 0 until 1000 do assert(names.contains(Text[30](s"a name with the number $i")), i)

  test("a key whose bytes become those of another key during its update is rejected"):
    Region.scoped:
      val counts = StructMap[Text[30], Int]()
      counts(Text("b")) = 7
      val bytes = MemorySegment.ofArray("a".getBytes(UTF_8))
      def changed(): Int =
        bytes.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, 'b'.toByte)
        1
      intercept[ConcurrentModificationException](
        counts.updateOrElse(Text[30](bytes, 0, 1), changed())(_ + 1)
      ): Unit
      assertEquals(counts.toMap.map((name, count) => name.string -> count), Map("b" -> 7))

  test("a text from bytes is the String of the bytes"):
    val bytes = MemorySegment.ofArray("Ada Łovelace".getBytes(UTF_8))
    assertEquals(Text[24](bytes, 4, bytes.byteSize).string, "Łovelace")
    assertEquals(Text[1](bytes, 2, 2).string, "")
    val error = intercept[IllegalArgumentException](Text[8](bytes, 0, 9))
    assertEquals(error.getMessage, "text of 9 bytes does not fit in 8")
    val half = intercept[IllegalArgumentException](Text[8](bytes, 0, 5))
    assertEquals(half.getMessage, "text of 5 bytes is not UTF-8: 0x41646120c5")
    Region.scoped:
      val rows = Rows[Named30](2)
      rows(0) = Named30(Text(bytes, 0, 3), 1)
      assertEquals(rows.count(_.name == Text[30](bytes, 0, 3)), 1L)
end TextBytesTest

case class Named30(name: Text[30], number: Int) derives Struct
