package outside.struct

import java.lang.foreign.ValueLayout.JAVA_BYTE
import undercroft.memory.*
import undercroft.struct.*

/** Types whose conversions run code of the test. */
object Encoded:
  final case class Rank(number: Int)
  object Rank:
    given Struct.StoredAs[Rank, Int] = Struct.storedAs[Rank, Int](_.number): number =>
      if number < 0 then throw IllegalStateException(s"$number") else Rank(number)

  final case class Stage(rank: Rank, dx: Byte) derives Struct
  final case class Track(id: Int, stages: InlineArray[Stage, 2]) derives Struct

  enum Sign derives Struct:
    case Dot(size: Byte)
    case Box(width: Long, height: Long)
  final case class Signs(id: Byte, signs: InlineArray[Sign, 2]) derives Struct

  final case class Code(text: String)
  object Code:
    var encoding: String => Int = _.length
    given Struct.StoredAs[Code, Int] =
      Struct.storedAs[Code, Int](code => encoding(code.text))(length => Code(s"$length"))

  enum Key derives Struct:
    case Small(code: Code)
    case Big(a: Long, b: Long)
end Encoded

class EncodingTest extends undercroft.tools.Suite:
  import Encoded.*

  private def during[A](encoding: String => Int)(body: => A): A =
    Code.encoding = encoding
    try body
    finally Code.encoding = _.length

  test("storing an array of structs without padding does not decode them"):
    Region.scoped:
      val track = Track(1, InlineArray[Stage, 2](Stage(Rank(-1), 3), Stage(Rank(2), 4)))
      val map = StructMap[Int, Track]()
      map(7) = track
      assertEquals(map.size, 1L)
      val rows = PackedRows[Track](1)
      rows(0) = track
      val bytes = rows.segment.toArray(JAVA_BYTE).nn.toVector
      assertEquals(bytes, Vector[Byte](1, 0, 0, 0, -1, -1, -1, -1, 3, 2, 0, 0, 0, 4))

  test("an array of enums without padding has zeros where the stored case has no fields"):
    Region.scoped:
      val rows = PackedRows[Signs](1)
      val signs = Signs(1, InlineArray[Sign, 2](Sign.Dot(2), Sign.Box(3, 4)))
      rows.segment.fill(-1): Unit
      rows(0) = signs
      assertEquals(rows(0), signs)
      val bytes = rows.segment.toArray(JAVA_BYTE).nn.toVector
      assertEquals(bytes.take(18), Vector[Byte](1, 0, 2) ++ Vector.fill(15)(0.toByte))

  test("encoding a key of an enum may look up a key in another shared map"):
    val ids = StructMap[Text[24], Int]()(using Malloc)
    val keys = StructMap[Key, Int]()(using Malloc)
    try
      during(text => ids.getOrElse(Text[24](text), 1)):
        keys(Key.Small(Code("abcdefghijklmnop"))) = 7
      during(_ => 1):
        assert(keys.contains(Key.Small(Code("another text"))))
        assertEquals(keys(Key.Small(Code("another text"))), 7)
        assert(!keys.contains(Key.Big(1, 0)))
    finally
      ids.close()
      keys.close()

  test("keys of all cases of an enum are found, added and removed"):
    Region.scoped:
      val map = StructMap[Key, Long]()
      def key(i: Int): Key = if i % 2 == 0 then Key.Small(Code("a" * i)) else Key.Big(i, -i)
      for i <- 0 until 1000 do map(key(i)) = i
      for i <- 0 until 1000 do map.updateOrElse(key(i), 0L)(_ + 1)
      assertEquals(map.size, 1000L)
      for i <- 0 until 1000 do assertEquals(map(key(i)), i + 1L)
      for i <- 0 until 1000 by 3 do assert(map.remove(key(i)))
      for i <- 0 until 1000 do assertEquals(map.contains(key(i)), i % 3 != 0)

  test("an update throws and stores nothing if encoding its key closes the map"):
    Region.scoped:
      val map = StructMap[Key, Int]()
      def closing(text: String): Int =
        map.close()
        text.length
      def store(): Unit = map(Key.Small(Code("a"))) = 1
      during(closing)(intercept[StaleReferenceException](store())): Unit

  test("an update stores its key if encoding the key makes the map grow"):
    Region.scoped:
      val map = StructMap[Key, Int]()
      def growing(text: String): Int =
        for i <- 1 to 20_000 do map(Key.Big(i, i)) = i
        text.length
      during(growing):
        map(Key.Small(Code("abc"))) = 5
      assertEquals(map(Key.Small(Code("xyz"))), 5)
      assertEquals(map.size, 20_001L)
end EncodingTest
