package outside.pekko.messages

import undercroft.pekko.*
import undercroft.struct.*

class NoData
final case class Undeclared(a: Int)
final case class Withdrawn(a: Int)
final class OwnSub(n: Int) extends OpenPay(n)
sealed class OpenPay(val n: Int)
final case class Twin[A](a: A)

/** Programs that must not compile, and setups that must fail, with the error that a user sees. */
class MisuseTest extends SerializationSuite:

  private def refused(errors: String, parts: String*)(using munit.Location): Unit =
    assert(!errors.contains("Exception occurred"), errors)
    for part <- parts do assert(errors.contains(part), errors)

  test("a field of an unsupported class is refused with its name, type and cure"):
    refused(
      compileErrors("case class M(a: Int, no: NoData); MessageCodec[M]"),
      "M cannot be a message: field `no` has the type NoData, which is no data",
      "given MessageCodec[NoData] = MessageCodec.sentAs[NoData, B](to)(from)"
    )
    refused(
      compileErrors("case class M(f: Int => Int); MessageCodec[M]"),
      "field `f` has the type Function1[Int, Int], which is no data"
    )
    refused(compileErrors("case class M(u: Unit); MessageCodec[M]"), "field `u` has the type Unit")
    refused(compileErrors("case class M(a: Any); MessageCodec[M]"), "field `a` has the type Any")
    refused(
      compileErrors("enum E { case A(x: Vector[NoData]) }; MessageCodec[E]"),
      "E.A cannot be a message: field `x` has the type NoData"
    )

  test("a case with a type parameter of its own is refused with its name"):
    refused(
      compileErrors(
        "enum Odd[A] { case One(a: A); case Two[B](b: B) extends Odd[Int] }; MessageCodec[Odd[Int]]"
      ),
      "Odd cannot be a message: the type parameter B of its case Two is not known from it"
    )

  test("a nested class that declares nothing is refused with the cure"):
    refused(
      compileErrors("case class M(u: Option[Undeclared]); MessageCodec[M]"),
      "M cannot be a message: field `u` has the type Undeclared, which has no MessageCodec: add " +
        "`derives Struct` or `derives MessageCodec` to Undeclared"
    )

  test("types whose bytes belong to a region are refused with the cure"):
    refused(
      compileErrors("case class M(t: TextRef) derives Struct; MessageCodec[M]"),
      "field `t` is a TextRef, whose bytes belong to a region of this node",
      "given MessageCodec[TextRef] = MessageCodec.textRefs(sharedRegion)",
      "make it a String or a Text[N]"
    )
    refused(
      compileErrors("case class M(t: Option[BytesRef]) derives Struct; MessageCodec[M]"),
      "field `t` is a BytesRef, whose bytes belong to a region of this node",
      "given MessageCodec[BytesRef] = MessageCodec.bytesRefs(sharedRegion)",
      "make it an IArray[Byte]"
    )
    refused(
      compileErrors("case class M(t: Ref[Point]) derives Struct; MessageCodec[M]"),
      "which refers to memory of this node: send the struct itself, a key or an index"
    )
    refused(
      compileErrors(
        "case class M(t: Union[(whole: Int, real: Double)]) derives Struct; MessageCodec[M]"
      ),
      "field `t` is a Union, and nothing tells which member is stored: make it an enum"
    )

  test("a tuple of more than 22 elements is refused with its field and the cure"):
    refused(
      compileErrors(
        """type Eleven = (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)
           case class M(all: Int *: Tuple.Concat[Eleven, Eleven])
           MessageCodec[M]"""
      ),
      "M cannot be a message: field `all` is a tuple of 23 elements; allowed: at most 22; use a " +
        "case class"
    )
    refused(
      compileErrors(
        """case class M(t: Option[(Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
             Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, String)])
           MessageCodec[M]"""
      ),
      "M cannot be a message: field `t` is a tuple of 24 elements; allowed: at most 22"
    )
    refused(
      compileErrors("case class M[T <: Tuple](t: Int *: T); MessageCodec[M[Tuple]]"),
      "M[Tuple] cannot be a message: field `t` has the type *:[Int, Tuple], which is no data"
    )

  test("a mutable array is refused with the cure"):
    refused(
      compileErrors("case class M(t: Array[Byte]); MessageCodec[M]"),
      "field `t` is an Array[Byte], which may change while it is sent",
      "an IArray[Byte]"
    )

  test("a type that contains itself is refused with the path"):
    refused(
      compileErrors("case class Tree(all: List[Tree]); MessageCodec[Tree]"),
      "Tree cannot be a message: it contains itself (Tree > List > Tree)"
    )
    refused(
      compileErrors(
        """case class A(b: Option[B]) derives MessageCodec
           case class B(a: Vector[A]) derives MessageCodec"""
      ),
      "cannot be a message: it contains itself"
    )
    refused(
      compileErrors(
        """class Own(val n: Int)
           given MessageCodec[Own] = MessageCodec.sentAs[Own, Vector[Own]](_ => Vector())(_ => Own(1))"""
      ),
      "Own cannot be a message: it contains itself (Own > Vector > Own)"
    )

  test("a message type that is no class is refused"):
    val cure = "a message is a case class, an enum or a sealed hierarchy"
    refused(compileErrors("MessageCodec[Int]"), "Int cannot be a message", cure)
    refused(compileErrors("MessageCodec[String]"), "String cannot be a message", cure)
    refused(compileErrors("MessageCodec[(Int, Int)]"), "Tuple2[Int, Int] cannot be", cure)
    refused(compileErrors("MessageCodec[Option[Int]]"), "Option[Int] cannot be a message", cure)
    refused(compileErrors("MessageCodec[Vector[Int]]"), "Vector[Int] cannot be a message", cure)
    refused(compileErrors("MessageCodec[NoData]"), "NoData cannot be a message", cure)
    refused(
      compileErrors(
        "given MessageCodec[Ticket] = MessageCodec.sentAs[Ticket, Int](_ => 1)(Ticket(_))"
      ),
      "Ticket cannot have a MessageCodec of its own, because it is no class"
    )

  test("a class that the receiver could not construct is refused"):
    refused(
      compileErrors("final case class M private (a: Int); MessageCodec[M]"),
      "M cannot be a message: its constructor is not public, and the receiver calls it"
    )
    refused(
      compileErrors("case class M(a: Int)(b: Int); MessageCodec[M]"),
      "M cannot be a message: it has 2 parameter lists; use one"
    )
    refused(
      compileErrors("MessageCodec[OpenPay]"),
      "OpenPay cannot be a message: its case OwnSub is neither a case class nor an object"
    )

  test("a type parameter without a codec is refused with the cure"):
    refused(
      compileErrors("def codec[A]: MessageCodec[Box[A]] = MessageCodec[Box[A]]"),
      "Box[A] cannot be a message: field `content` has the type parameter A, which is not known " +
        "here: give it a bound, [A: MessageCodec]"
    )
    assertEquals(
      compileErrors("def codec[A: MessageCodec]: MessageCodec[Box[A]] = MessageCodec[Box[A]]"),
      ""
    )

  test("an InlineArray of unknown length is refused"):
    refused(
      compileErrors("def c[N <: Int]: Any = MessageCodec[Box[InlineArray[Int, N]]]"),
      "whose length is not known here"
    )

  test("two codecs of one name are refused when they are registered"):
    val error = intercept[IllegalArgumentException]:
      UndercroftSerialization(MessageCodec[Point].named("p"), MessageCodec[Undeclared].named("p"))
    says(
      error,
      "two codecs are called p: p(x:Double,y:Float) and p(a:Int)",
      "give one of them another name by MessageCodec.named"
    )
    UndercroftSerialization(MessageCodec[Point], MessageCodec[Point]): Unit

  test("two codecs of one name and the same fields are refused if their classes differ"):
    val error = intercept[IllegalArgumentException]:
      UndercroftSerialization(
        MessageCodec[Undeclared].named("Money"),
        MessageCodec[Withdrawn].named("Money")
      )
    says(
      error,
      "two codecs are called Money: outside.pekko.messages.Undeclared and " +
        "outside.pekko.messages.Withdrawn; give one of them another name by MessageCodec.named"
    )

  test("of two codecs of one class by functions the first one writes and reads"):
    val codecs =
      for add <- List(1, 2)
      yield MessageCodec.sentAs[Positive, Int](_.n + add)(n => Positive(n - add))
    val struct = serializer(codecs*)
    val message = Positive(5)
    struct.fromBinary(struct.toBinary(message), struct.manifest(message)) match
      case positive: Positive => assertEquals(positive.n, 5)
      case other              => fail(s"$other")

  test("codecs that share a class may have other cases of one name with different fields"):
    val struct = serializer(MessageCodec[Sale], MessageCodec[Loan])
    for message <- List[AnyRef](Paid(1), Sale.Other(2), Loan.Other("two")) do
      val read = struct.fromBinary(struct.toBinary(message), struct.manifest(message))
      assert(read.equals(message), s"$read")

  test("two codecs of one class are refused when they are registered, unless their fields agree"):
    val error = intercept[IllegalArgumentException]:
      UndercroftSerialization(
        MessageCodec[Twin[Int]].named("ints"),
        MessageCodec[Twin[Long]].named("longs")
      )
    says(
      error,
      "outside.pekko.messages.Twin has two codecs, ints(a:Int) and longs(a:Long); a class can have",
      "only one"
    )
    val struct = serializer(MessageCodec[Command], MessageCodec[Command.Payment])
    assertEquals(struct.manifest(Command.Pay(1)), "outside.pekko.messages.Command#Pay(amount:Int)")

  test("a manifest that is too long is refused when its codec is registered"):
    val error = intercept[IllegalArgumentException]:
      UndercroftSerialization(MessageCodec[Point].named("p" * 20000))
    says(error, "has at most 16384 characters: 2", "use fewer or shorter names")

  test("a message without a codec is an error of the sender that names its class"):
    val struct = serializer(MessageCodec[Point])
    for call <- List[() => Any](() => struct.manifest(NoData()), () => struct.toBinary(NoData())) do
      says(
        intercept[IllegalArgumentException](call()),
        "outside.pekko.messages.NoData has no codec: pass MessageCodec[NoData] to Undercroft"
      )

  test("an exception of a constructor or a user's codec is the cause of the error"):
    val struct = serializer(MessageCodec[Command], MessageCodec[Positive])
    val manifest = struct.manifest(Command.Pay(1))
    val error =
      fault(MessageFault.Rejected)(struct.fromBinary(Array[Byte](-1, -1, -1, -1), manifest))
    assertEquals(error.typeName, "outside.pekko.messages.Command.Pay")
    says(error, "its constructor threw", "amount must be >= 0: -1", "(Rejected in [0, 4))")
    assertEquals(error.getCause.getMessage, "amount must be >= 0: -1")
    val positive = struct.manifest(Positive(1))
    says(
      fault(MessageFault.Rejected)(struct.fromBinary(Array[Byte](-1, -1, -1, -1), positive)),
      "not positive: -1"
    )

  test("a null of a user's codec is an error, in a field, as a message and after a conversion"):
    val known = java.util.Map.of("EUR", Currency("EUR"))
    val codec = MessageCodec.sentAs[Currency, String](_.code)(code => known.get(code))
    val struct =
      given MessageCodec[Currency] = codec
      serializer(codec, MessageCodec[Price])
    val (euro, other) = (Currency("EUR"), Currency("USD"))
    def received(message: AnyRef) =
      struct.fromBinary(struct.toBinary(message), struct.manifest(message))
    for message <- List[AnyRef](euro, Price(5, euro)) do assert(received(message) != null)
    for message <- List[AnyRef](other, Price(5, other)) do
      says(fault(MessageFault.Rejected)(received(message)), "returned null")
    val older = MessageCodec.sentAs[Currency, Text[8]](currency => Text[8](currency.code)): text =>
      Currency(text.string)
    assert(send(euro, older, codec) != null)
    says(fault(MessageFault.Rejected)(send(other, older, codec)), "returned null")
end MisuseTest

final class Currency(val code: String)
final case class Price(amount: Long, in: Currency)

sealed trait Sale
object Sale:
  final case class Other(n: Int) extends Sale
sealed trait Loan
object Loan:
  final case class Other(text: String) extends Loan
final case class Paid(n: Int) extends Sale, Loan

final class Positive(val n: Int)
object Positive:
  given MessageCodec[Positive] = MessageCodec.sentAs[Positive, Int](_.n): n =>
    if n > 0 then Positive(n) else throw IllegalArgumentException(s"not positive: $n")
