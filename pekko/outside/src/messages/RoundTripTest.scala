package outside.pekko.messages

import java.nio.{BufferOverflowException, ByteBuffer, ByteOrder}
import java.nio.file.Path
import org.scalacheck.Prop.forAll
import scala.concurrent.duration.*
import undercroft.actor.{ActorSystem, Behavior, ask, spawn}
import undercroft.actor.Reply as AskReply
import undercroft.pekko.*

class RoundTripTest extends SerializationSuite:
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(400)

  private lazy val everything = serializer(MessageCodec[Everything])

  property("a message with fields of every type is read as it was written"):
    forAll(Generators.everything): message =>
      val bytes = everything.toBinary(message)
      assertEquals(everything.fromBinary(bytes, everything.manifest(message)), message)

  property("a buffer of any kind and byte order gets the bytes of the array"):
    forAll(Generators.everything): message =>
      val bytes = everything.toBinary(message)
      val buffers =
        List(ByteBuffer.allocate(bytes.length + 3), ByteBuffer.allocateDirect(bytes.length + 3))
      for buffer <- buffers; order <- List(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN) do
        buffer.clear().order(order).position(3)
        everything.toBinary(message, buffer)
        assertEquals(buffer.order, order)
        assertEquals(buffer.position, bytes.length + 3)
        buffer.position(3): Unit
        assertEquals(everything.fromBinary(buffer, everything.manifest(message)), message)
        assertEquals(buffer.order, order)
        assert(!buffer.hasRemaining)

  test("a class with a repeated parameter is sent as one with a Seq"):
    def roundTrip[A <: AnyRef](message: A, codec: MessageCodec[A]): Unit =
      assertEquals(send(message, codec, codec), message)
    roundTrip(Listing(1, "a", "b"), MessageCodec[Listing])
    roundTrip(Listing(2), MessageCodec[Listing])
    roundTrip(Request.Remove(7, 8, 9), MessageCodec[Request])
    roundTrip(Many(Point(1, 2), Point(3, 4)), MessageCodec[Many[Point]])
    assertEquals(
      send(Many("a", "b"), MessageCodec[Many[String]].named("m"), MessageCodec[Noted].named("m")),
      Noted(None, "a", "b")
    )

  test("a tuple that is written with *: is sent as a tuple"):
    val message = Chained(1 *: "b" *: EmptyTuple, (2L *: EmptyTuple) *: EmptyTuple)
    assertEquals(send(message, MessageCodec[Chained], MessageCodec[Chained]), message)
    assertEquals(
      MessageCodec[Chained].manifests.map(_.replaceAll(".*\\(", "(")),
      MessageCodec[Unchained].manifests.map(_.replaceAll(".*\\(", "("))
    )

  test("a buffer that is too small throws BufferOverflowException"):
    val message = Primitives(true, 1, 2, '3', 4, 5, 6, 7)
    val struct = serializer(MessageCodec[Primitives])
    assertEquals(struct.toBinary(message).length, 30)
    for size <- 0 until 30 do
      intercept[BufferOverflowException](struct.toBinary(message, ByteBuffer.allocate(size))): Unit
    struct.toBinary(message, ByteBuffer.allocate(30))

  test("the bytes of a message are its fields, little-endian, without names"):
    val struct = serializer(MessageCodec[Account], MessageCodec[Bytes])
    val deposit = Account.Deposit(258, "é")
    assertEquals(struct.toBinary(deposit).toList, List[Byte](2, 1, 0, 0, 0, 0, 0, 0, 2, -61, -87))
    assertEquals(struct.toBinary(Account.Close).toList, Nil)
    assertEquals(
      struct.manifest(deposit),
      "outside.pekko.messages.Account#Deposit(amount:Long,note:String)"
    )
    assertEquals(struct.manifest(Account.Close), "outside.pekko.messages.Account#Close()")
    val bytes =
      Bytes(Some(false), Vector(Side.Sell, Side.Buy), Limit.At(7, None), Marks(Vector(Mark())))
    assertEquals(
      struct.toBinary(bytes).toList,
      List[Byte](1, 0) ++ List[Byte](2, 1, 0) ++ List[Byte](1, 7, 0, 0, 0, 0) ++ List[Byte](1, 0)
    )

  test("each case of an enum and of a sealed hierarchy is read as it was written"):
    val struct = serializer(MessageCodec[Account], MessageCodec[Command])
    val messages = List[AnyRef](
      Account.Deposit(1),
      Account.Withdraw(Long.MinValue),
      Account.Close,
      Account.Freeze,
      Command.Pay(3),
      Command.Refund(4, "why"),
      Command.Stop
    )
    for message <- messages do
      val read = struct.fromBinary(struct.toBinary(message), struct.manifest(message))
      assertEquals(read, message)
      message match
        case Account.Close | Account.Freeze | Command.Stop => assert(read eq message)
        case _                                             => ()

  test("a class with a codec of its own is a message and a field"):
    val struct = serializer(MessageCodec[Url])
    val url = Url("https://undercroft.example")
    assertEquals(struct.manifest(url), "outside.pekko.messages.Url=String")
    assertEquals(struct.fromBinary(struct.toBinary(url), struct.manifest(url)), url)

  test("a codec by functions of an enum or an interface sends the values of each subclass"):
    val struct = serializer(MessageCodec[Phase], MessageCodec[Path])
    val path = Path.of("a", "b")
    for message <- List[AnyRef](Phase.Start, Phase.Stop, path) do
      val read = struct.fromBinary(struct.toBinary(message), struct.manifest(message))
      assert(read.equals(message), s"$read")
    assertEquals(struct.manifest(path), "java.nio.file.Path=String")

  test("an opaque type with a bound is sent as its underlying type"):
    val codec = MessageCodec[Graded]
    val message = Graded(Grade(3), Vector(Grade(1), Grade(2)), Label("good"))
    assertEquals(send(message, codec, codec), message)
    assertEquals(
      codec.manifests,
      Vector("outside.pekko.messages.Graded(grade:Int,all:Seq[Int],label:String)")
    )
    assertEquals(
      send(message, codec.named("G"), MessageCodec[Ungraded].named("G")),
      Ungraded(3L, "good")
    )

  test("the name of a type is set by `named`, also for renamed classes"):
    val account = MessageCodec[Account].named("shop.Account")
    assertEquals(account.manifests.last, "shop.Account#Freeze()")
    val renamed = MessageCodec[Renamed].named("shop.Account")
    assertEquals(send(Account.Withdraw(5), account, renamed), Renamed.Withdraw(5))
    intercept[IllegalArgumentException](account.named("")): Unit

  test("names outside US-ASCII are escaped in manifests, which are US-ASCII"):
    val codec = MessageCodec[`Zähler, (neu)`]
    val manifest = codec.manifests.head
    assert(manifest.forall(char => char > ' ' && char < 0x7f), manifest)
    assert(manifest.contains("(gr%00F6%00DFe:Int,a%002Cb%003Ac:Long)"), manifest)
    val message = `Zähler, (neu)`(1, 2)
    assertEquals(send(message, codec, codec), message)
    assertEquals(
      send(message, codec.named("n"), MessageCodec[`Zähler, (neu) 2`].named("n")),
      `Zähler, (neu) 2`(2L, 1L)
    )

  test("a reference is read as the same actor on its own node"):
    ActorSystem.scoped("refs"):
      val struct = serializer(MessageCodec[Account])
      def through(message: Account): Account =
        struct.fromBinary(struct.toBinary(message), struct.manifest(message)) match
          case account: Account => account
          case other            => fail(s"$other")
      val actor = spawn(
        Behavior.receive[Account] {
          case Account.Ask(to) =>
            through(Account.Ask(to)) match
              case Account.Ask(to) => to ! 42
              case other           => fail(s"$other")
            Behavior.same
          case _ => Behavior.unhandled
        },
        "account"
      )
      assertEquals(actor.ask[Long](1.minute)(Account.Ask(_)), 42L)
      val target = spawn(Behavior.ignore[Long], "target")
      assertEquals(through(Account.Balance(target)), Account.Balance(target))

  test("a malformed reference to an entity is an error with the cause"):
    val written = serializer(MessageCodec[Url])
    val receiver = serializer(MessageCodec[Account])
    val bytes = written.toBinary(Url("entity:9:short"))
    ActorSystem.scoped("refs"):
      val message = Account.Balance(spawn(Behavior.ignore[Long], "target"))
      val error = fault(MessageFault.Rejected):
        receiver.fromBinary(bytes, receiver.manifest(message))
      says(error, "the reference 'entity:9:short' at offset 0 was rejected", "entity:LENGTH:TYPE")

  test("a text with half a surrogate pair is rejected by the sender"):
    val struct = serializer(MessageCodec[Url])
    for text <- List("ab\ud834", "\udd1e", "\ud834x", "\ud834\ud834\udd1e") do
      says(
        intercept[IllegalArgumentException](struct.toBinary(Url(text))),
        "a text in a message has half a surrogate pair at index"
      )

  test("a null field is rejected by the sender"):
    val struct = serializer(MessageCodec[Command])
    intercept[NullPointerException](struct.toBinary(Command.Refund(1, null))): Unit
end RoundTripTest

final case class Bytes(a: Option[Boolean], b: Vector[Side], c: Limit, d: Marks)

final case class `Zähler, (neu)`(größe: Int, `a,b:c`: Long)
final case class `Zähler, (neu) 2`(`a,b:c`: Long, größe: Long)

enum Phase derives CanEqual:
  case Start, Stop
object Phase:
  given MessageCodec[Phase] = MessageCodec.sentAs[Phase, Int](_.ordinal)(Phase.fromOrdinal(_))

given MessageCodec[Path] = MessageCodec.sentAs[Path, String](_.toString)(text => Path.of(text))

final case class Graded(grade: Grade, all: Vector[Grade], label: Label) derives CanEqual
final case class Ungraded(grade: Long, label: String) derives CanEqual

enum Renamed derives CanEqual:
  case Withdraw(amount: Long)
