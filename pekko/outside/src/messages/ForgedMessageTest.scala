package outside.pekko.messages

import java.lang.management.ManagementFactory
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import scala.util.Random
import undercroft.pekko.*
import undercroft.struct.*

/** Bytes and manifests that no sender wrote. */
class ForgedMessageTest extends SerializationSuite:
  private val own = "outside.pekko.messages"

  private def allocated: Long = ManagementFactory.getThreadMXBean match
    case threads: com.sun.management.ThreadMXBean => threads.getCurrentThreadAllocatedBytes
    case _                                        => 0L

  /** The results of reading forged messages. */
  private final class Outcomes:
    var accepted = 0
    var rejected = Map.empty[MessageFault, Int]

    private var reads = 0

    /** Reads a message, which either succeeds or throws a MessageFormatException, and allocates no
      * more than its length allows. The first reads also load classes.
      */
    def read(receiver: StructSerializer, bytes: Array[Byte], manifest: String): Unit =
      reads += 1
      val before = allocated
      try
        assert(receiver.fromBinary(bytes, manifest) ne null)
        accepted += 1
      catch
        case error: MessageFormatException =>
          rejected = rejected.updatedWith(error.fault)(count => Some(count.getOrElse(0) + 1))
          assert(error.from >= 0 && error.from <= error.until, error.getMessage)
          assert(error.getMessage.length < 1500, error.getMessage)
      val bytesAllocated = allocated - before
      val fixed = if reads > 200 then 100_000L else 10_000_000L
      val allowed = fixed + 200L * bytes.length + 2000L * manifest.length
      assert(bytesAllocated <= allowed, s"$bytesAllocated bytes for ${bytes.length}: $manifest")
  end Outcomes

  private def mutated(bytes: Array[Byte], random: Random): Array[Byte] =
    val copy = bytes.clone
    def at = random.nextInt(bytes.length.max(1))
    random.nextInt(6) match
      case 0 if copy.nonEmpty =>
        val index = at
        copy(index) = (copy(index) ^ (1 << random.nextInt(8))).toByte
        copy
      case 1 if copy.nonEmpty =>
        copy(at) = List[Byte](0, 1, -1, 127, -128)(random.nextInt(5))
        copy
      case 2 => copy.take(at)
      case 3 => copy.take(at) ++ random.nextBytes(random.nextInt(6)) ++ copy.drop(at)
      case 4 => copy.take(at) ++ copy.drop(at)
      case _ => copy ++ random.nextBytes(1 + random.nextInt(4))

  private val manifestParts = Vector(
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "|",
    ",",
    ":",
    "#",
    "=",
    "%",
    "%0041",
    "Int",
    "Long",
    "String",
    "Option[",
    "Seq[Int]",
    "Text[4097]",
    "InlineArray[Int,65536]",
    "0",
    "9999999999",
    "a:Int",
    "é",
    " ",
    ""
  )

  private def mutated(manifest: String, random: Random): String =
    val from = random.nextInt(manifest.length.max(1))
    val until = (from + random.nextInt(4)).min(manifest.length)
    random.nextInt(5) match
      case 0 => manifest.take(from)
      case 1 => manifest.take(until) + manifest.drop(from)
      case _ =>
        val part = manifestParts(random.nextInt(manifestParts.size))
        manifest.take(from) + part + manifest.drop(until)

  private def samples(count: Int): Vector[Everything] =
    Vector.tabulate(count): seed =>
      Generators.everything.pureApply(Gen.Parameters.default, Seed(seed))

  test("20000 forged messages are read or rejected, with bounded memory"):
    val random = Random(7)
    val codec = MessageCodec[Everything].named("E")
    val (sender, same) = (serializer(codec), serializer(codec))
    val skipping = serializer(MessageCodec[Empty0].named("E"))
    val other = serializer(MessageCodec[Everything2].named("E"))
    val outcomes = Outcomes()
    for message <- samples(100) do
      val (bytes, manifest) = (sender.toBinary(message), sender.manifest(message))
      for receiver <- List(same, skipping, other); _ <- 0 until 67 do
        val forged = Iterator.iterate(bytes)(mutated(_, random)).drop(1 + random.nextInt(3)).next()
        outcomes.read(receiver, forged, manifest)
    assert(outcomes.accepted > 1000, s"${outcomes.accepted}")
    for expected <- List(
        MessageFault.Truncated,
        MessageFault.TrailingBytes,
        MessageFault.InvalidValue
      )
    do assert(outcomes.rejected.getOrElse(expected, 0) > 100, s"${outcomes.rejected}")

  test("20000 forged manifests are read or rejected, with bounded memory"):
    val random = Random(8)
    val codec = MessageCodec[Everything].named("E")
    val account = MessageCodec[Account].named("A")
    val sender = serializer(codec, account)
    val receiver = serializer(codec, account)
    val outcomes = Outcomes()
    val messages = samples(50) ++ Vector.fill(50)(Account.Deposit(random.nextLong(), "n"))
    for message <- messages do
      val (bytes, manifest) = (sender.toBinary(message), sender.manifest(message))
      for _ <- 0 until 200 do
        val forged =
          Iterator.iterate(manifest)(mutated(_, random)).drop(1 + random.nextInt(2)).next()
        outcomes.read(receiver, bytes, forged)
    for expected <- List(
        MessageFault.MalformedManifest,
        MessageFault.UnknownType,
        MessageFault.UnknownCase,
        MessageFault.WrongSchema
      )
    do assert(outcomes.rejected.getOrElse(expected, 0) > 10, s"${outcomes.rejected}")
    assert(outcomes.accepted > 0)

  test("a message cut at any byte is rejected with the missing bytes"):
    val struct = serializer(MessageCodec[Primitives], MessageCodec[Everything])
    val message = Primitives(true, 1, 2, '3', 4, 5, 6, 7)
    val (bytes, manifest) = (struct.toBinary(message), struct.manifest(message))
    for length <- bytes.indices do
      val error = fault(MessageFault.Truncated)(struct.fromBinary(bytes.take(length), manifest))
      assertEquals(error.typeName, s"$own.Primitives")
      assert(error.from <= length && error.until > length, error.getMessage)
    says(
      fault(MessageFault.Truncated)(struct.fromBinary(bytes.take(16), manifest)),
      s"$own.Primitives: a Long at offset 10 needs 8 bytes, but 6 remain (Truncated in [10, 18))"
    )
    for message <- samples(5) do
      val (bytes, manifest) = (struct.toBinary(message), struct.manifest(message))
      for length <- bytes.indices do
        intercept[MessageFormatException](struct.fromBinary(bytes.take(length), manifest)): Unit

  test("bytes after a message are rejected with their range"):
    val struct = serializer(MessageCodec[Side2])
    val error = fault(MessageFault.TrailingBytes):
      struct.fromBinary(Array[Byte](0, 0, 0, 0, 9, 9), s"$own.Side2(n:Int)")
    says(error, "the message ends at offset 4, but 2 bytes follow (TrailingBytes in [4, 6))")

  test(
    "a claimed number of elements is compared with the remaining bytes before memory is allocated"
  ):
    val struct = serializer(MessageCodec[Claims])
    def read(bytes: Int*): MessageFormatException =
      intercept[MessageFormatException]:
        struct.fromBinary(
          bytes.map(_.toByte).toArray,
          s"$own.Claims(text:String,bytes:Bytes,all:Seq[Long],set:Set[()],map:Map[Int,Int])"
        )
    val huge = List(0xff, 0xff, 0xff, 0xff, 0x07)
    for start <- List(Nil, List(0), List(0, 0), List(0, 0, 0), List(0, 0, 0, 0)) do
      val before = allocated
      val error = read((start ++ huge)*)
      assertEquals(error.fault, MessageFault.Truncated)
      says(error, s"a count at offset ${start.size} claims 2147483647 times", "but 0 bytes remain")
      assert(allocated - before < 10_000_000) // the first error also loads classes
    says(read(3, 'a', 'b'), "a count at offset 0 claims 3 times a byte, but 2 bytes remain")
    says(read(0xff, 0xff, 0xff, 0xff, 0x08), "a count at offset 0 exceeds 2147483647")
    says(read(0x80, 0x80, 0x80, 0x80, 0x80, 0x00), "a count at offset 0 exceeds 2147483647")

  test("values that their type does not have are rejected with range and value"):
    val struct = serializer(MessageCodec[Values])
    val manifest =
      s"$own.Values(flag:Boolean,side:<Buy()|Sell()>,text:Text[2],mark:(),option:Option[Byte])"
    assertEquals(
      struct.fromBinary(Array[Byte](1, 1, 2, 'a', 'b', 0, 0), manifest),
      Values(true, Side.Sell, Text("ab"), Mark(), None)
    )
    def error(bytes: Int*): String =
      fault(MessageFault.InvalidValue)(struct.fromBinary(
        bytes.map(_.toByte).toArray,
        manifest
      )).getMessage
    val subject = s"$own.Values: "
    assertEquals(
      error(2),
      subject + "a Boolean at offset 0 is 0 or 1: 2 (InvalidValue in [0, 1))"
    )
    assertEquals(
      error(1, 2),
      subject + "a case number at offset 1 is in [0, 2): 2 (InvalidValue in [1, 2))"
    )
    assertEquals(
      error(1, 1, 3, 'a', 'b', 'c'),
      subject + "a text at offset 2 has at most 2 bytes: 3 (InvalidValue in [2, 6))"
    )
    assertEquals(
      error(1, 1, 2, 0xc3, 'b'),
      subject + "a text at offset 2 is malformed UTF-8 (InvalidValue in [2, 5))"
    )
    assertEquals(
      error(1, 1, 2, 'a', 0),
      subject + "a text at offset 2 has a NUL at index 1 (InvalidValue in [2, 5))"
    )
    assertEquals(
      error(1, 1, 0, 7),
      subject + "a record without fields at offset 3 is 0: 7 (InvalidValue in [3, 4))"
    )
    assertEquals(
      error(1, 1, 0, 0, 9),
      subject + "a Boolean at offset 4 is 0 or 1: 9 (InvalidValue in [4, 5))"
    )

  test("a manifest of deep or endless types is rejected"):
    val struct = serializer(MessageCodec[Side2].named("S"))
    def error(manifest: String): String =
      fault(MessageFault.MalformedManifest)(struct.fromBinary(Array[Byte](0), manifest)).getMessage
    assert(error("S(n:" + "Option[" * 2000).contains("expected at most 64 levels of types"))
    assert(error("S(n:" + "(a:" * 2000).contains("expected at most 64 levels of types"))
    assert(error("S(n:" + "<A(a:" * 2000).contains("expected at most 64 levels of types"))
    assert(error("S(" + "n:Int," * 5000).contains("at most 16384 characters: 30002"))
    assertEquals(
      error("S(n:Number)"),
      "a message: the manifest S(n:Number) has ')' at index 10; expected a type before it " +
        "(MalformedManifest in [10, 11))"
    )
    for manifest <- List(
        "",
        "S",
        "S(",
        "S()x",
        "(n:Int)",
        "S(n)",
        "S(n:)",
        "S(n:Int,)",
        "S(n:Int,n:Int)",
        "S(n:<>)",
        "S(n:<A>)",
        "S(n:<A()|A()>)",
        "S(n:Text[0])",
        "S(n:Text[4097])",
        "S(n:Text[])",
        "S(n:InlineArray[Int])",
        "S(n:InlineArray[Int,99999999999])",
        "S(n:Map[Int])",
        "S(n:%00)",
        "S#(n:Int)",
        "S=",
        "S#A=Int",
        "é(n:Int)"
      )
    do error(manifest): Unit
    end for

  test("an array of arrays in a forged manifest is skipped in time proportional to the bytes"):
    val struct = serializer(MessageCodec[Side2].named("S"))
    val deep = "InlineArray[" * 20 + "()" + ",65536]" * 20
    fault(MessageFault.Truncated)(
      struct.fromBinary(new Array[Byte](100_000), s"S(x:$deep,n:Int)")
    ): Unit
end ForgedMessageTest

final case class Empty0()
final case class Everything2(
    text: String,
    map: Map[String, List[Side]],
    points: InlineArray[Point, 2]
)
final case class Side2(n: Int)
final case class Claims(
    text: String,
    bytes: IArray[Byte],
    all: Vector[Long],
    set: Set[Mark],
    map: Map[Int, Int]
)
final case class Values(flag: Boolean, side: Side, text: Text[2], mark: Mark, option: Option[Byte])
    derives CanEqual
