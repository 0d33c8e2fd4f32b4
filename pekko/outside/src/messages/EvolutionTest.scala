package outside.pekko.messages

import undercroft.pekko.*
import undercroft.struct.*

/** Two versions of each class, under one name. */
object Before:
  final case class Order(item: String, count: Int, price: Float) derives CanEqual
  final case class Widths(
      a: Byte,
      b: Byte,
      c: Byte,
      d: Byte,
      e: Byte,
      f: Short,
      g: Short,
      h: Short,
      i: Short,
      j: Char,
      k: Char,
      l: Char,
      m: Char,
      n: Int,
      o: Int,
      p: Float
  )
  final case class Texts(a: Text[4], b: Text[4])
  final case class Nested(
      line: Line,
      all: Vector[Item],
      last: Option[Item],
      byName: Map[String, Item],
      pair: (Int, Item),
      array: InlineArray[Int, 2],
      ids: Set[Short]
  )
  final case class Item(name: String, count: Short) derives MessageCodec, CanEqual
  final case class Line(item: Item, note: String) derives MessageCodec
  enum Event:
    case Opened(by: String, at: Int)
    case Closed
    case Moved(x: Int)
  final case class Holder(event: State, next: Int)
  enum State derives Struct:
    case Idle, Busy
    case At(place: Short)
  final case class One[A](value: A) derives CanEqual
  final case class Empty() derives MessageCodec
  final case class Empties(a: Empty, b: Int, c: Vector[Empty])
end Before

object After:
  final case class Order(
      price: Double,
      note: Option[String],
      count: Long,
      currency: String = "EUR",
      item: String
  ) derives CanEqual
  final case class Widths(
      p: Double,
      o: Double,
      n: Long,
      m: Double,
      l: Float,
      k: Long,
      j: Int,
      i: Double,
      h: Float,
      g: Long,
      f: Int,
      e: Double,
      d: Float,
      c: Long,
      b: Int,
      a: Short
  ) derives CanEqual
  final case class Texts(a: Text[8], b: String) derives CanEqual
  final case class Nested(
      ids: Set[Int],
      array: InlineArray[Long, 2],
      pair: (Long, Item),
      byName: Map[String, Item],
      last: Option[Item],
      all: List[Item],
      line: Line
  ) derives CanEqual
  final case class Item(count: Long, name: String, extra: Option[Int]) derives MessageCodec,
        CanEqual
  final case class Line(note: String, item: Item) derives MessageCodec, CanEqual
  enum Event derives CanEqual:
    case Created
    case Closed
    case Opened(at: Long, by: String, where: String = "here")
  final case class Holder(next: Long, event: State) derives CanEqual
  enum State derives MessageCodec, CanEqual:
    case At(place: Int, side: Option[Int])
    case Busy
    case Gone(why: String)
    case Idle
  final case class Empty(n: Int = 7) derives MessageCodec, CanEqual
  final case class Empties(c: Vector[Empty], b: Int, a: Empty) derives CanEqual
end After

class EvolutionTest extends SerializationSuite:

  private def one[A](codec: MessageCodec[A]): MessageCodec[A] = codec.named("One")

  /** The error if a field of one type is read as another. */
  private def mismatch(from: MessageCodec[?], to: MessageCodec[?], message: AnyRef)(using
      munit.Location
  ): String =
    val error = fault(MessageFault.WrongSchema)(send(message, one(from), one(to)))
    assertEquals(error.typeName, "One")
    assertEquals((error.from, error.until), (0L, one(from).manifests.head.length.toLong))
    error.getMessage

  test("fields are reordered, widened, added with a default value or None, and skipped"):
    val (before, after) =
      (MessageCodec[Before.Order].named("Order"), MessageCodec[After.Order].named("Order"))
    assertEquals(
      send(Before.Order("nut", 3, 1.5f), before, after),
      After.Order(1.5, None, 3, "EUR", "nut")
    )
    val short = MessageCodec[Short2].named("Order")
    assertEquals(send(Before.Order("nut", 3, 1.5f), before, short), Short2(3))
    val error = fault(MessageFault.WrongSchema):
      send(After.Order(1.5, None, 3, "EUR", "nut"), after, before)
    says(error, "Order: field price is Double; expected Float (WrongSchema in [0, ")

  test("a field that is missing without a default value is an error that names it"):
    val error = fault(MessageFault.WrongSchema):
      send(
        Short2(3),
        MessageCodec[Short2].named("Order"),
        MessageCodec[Before.Order].named("Order")
      )
    says(error, "Order: field item is missing; expected String", "no default value")

  test("each primitive is widened to each type that has all its values"):
    val message = Before.Widths(
      -1,
      -2,
      -3,
      -4,
      -5,
      -6,
      -7,
      -8,
      -9,
      'a',
      'b',
      'c',
      '\uffff',
      -10,
      Int.MinValue,
      0.5f
    )
    val (before, after) =
      (MessageCodec[Before.Widths].named("Widths"), MessageCodec[After.Widths].named("Widths"))
    assertEquals(
      send(message, before, after),
      After.Widths(
        0.5,
        Int.MinValue,
        -10,
        65535,
        'c'.toFloat,
        'b'.toLong,
        'a'.toInt,
        -9,
        -8,
        -7,
        -6,
        -5,
        -4,
        -3,
        -2,
        -1
      )
    )

  test("a primitive is not narrowed, nor converted to a type that lacks some of its values"):
    val int = MessageCodec[Before.One[Int]]
    val long = MessageCodec[Before.One[Long]]
    val float = MessageCodec[Before.One[Float]]
    val double = MessageCodec[Before.One[Double]]
    val char = MessageCodec[Before.One[Char]]
    val short = MessageCodec[Before.One[Short]]
    val boolean = MessageCodec[Before.One[Boolean]]
    val pairs = List(
      long -> int,
      long -> double,
      int -> float,
      int -> short,
      int -> char,
      short -> char,
      char -> short,
      double -> float,
      float -> long,
      boolean -> int,
      int -> boolean
    )
    val values = Map(
      int -> 1,
      long -> 1L,
      float -> 1f,
      double -> 1.0,
      char -> 'a',
      short -> 1.toShort,
      boolean -> true
    )
    for (from, to) <- pairs do
      val text = mismatch(from, to, Before.One(values(from)))
      assert(text.startsWith("One: field value is "), text)
      assert(text.contains("; expected "), text)

  test("a text is widened to a longer text and to a String"):
    val texts = Before.Texts(Text("abcd"), Text("é"))
    val (before, after) =
      (MessageCodec[Before.Texts].named("Texts"), MessageCodec[After.Texts].named("Texts"))
    assertEquals(send(texts, before, after), After.Texts(Text("abcd"), "é"))
    val text8 = MessageCodec[Before.One[Text[8]]]
    val text4 = MessageCodec[Before.One[Text[4]]]
    val string = MessageCodec[Before.One[String]]
    assertEquals(
      mismatch(text8, text4, Before.One(Text[8]("a"))),
      s"One: field value is Text[8]; expected Text[4] (WrongSchema in [0, ${"One(value:Text[8])".length}))"
    )
    assert(mismatch(string, text4, Before.One("a")).contains("is String; expected Text[4]"))

  test("fields of nested classes, tuples, collections and arrays are converted"):
    val items = Vector(Before.Item("a", 1), Before.Item("b", -2))
    val message = Before.Nested(
      Before.Line(items(0), "n"),
      items,
      Some(items(1)),
      Map("x" -> items(0)),
      (5, items(1)),
      InlineArray[Int, 2](1, 2),
      Set[Short](1, 2)
    )
    val (a, b) = (After.Item(1, "a", None), After.Item(-2, "b", None))
    assertEquals(
      send(message, MessageCodec[Before.Nested].named("N"), MessageCodec[After.Nested].named("N")),
      After.Nested(
        Set(1, 2),
        InlineArray[Long, 2](1, 2),
        (5, b),
        Map("x" -> a),
        Some(b),
        List(a, b),
        After.Line("n", a)
      )
    )

  test("a mismatch in a nested class names the path of the field"):
    val text = mismatch(
      MessageCodec[Before.One[Vector[(Int, Before.Item)]]],
      MessageCodec[Before.One[Vector[(Int, OtherItem)]]],
      Before.One(Vector((1, Before.Item("a", 1))))
    )
    assert(text.startsWith("One: field value._2.count is Short; expected String"), text)

  test("types of another kind are not converted"):
    val pairs: List[(MessageCodec[?], AnyRef, MessageCodec[?], String)] = List(
      (
        MessageCodec[Before.One[Int]],
        Before.One(1),
        MessageCodec[Before.One[Option[Int]]],
        "is Int; expected Option[Int]"
      ),
      (
        MessageCodec[Before.One[Vector[Int]]],
        Before.One(Vector(1)),
        MessageCodec[Before.One[Set[Int]]],
        "is Seq[Int]; expected Set[Int]"
      ),
      (
        MessageCodec[Before.One[InlineArray[Int, 2]]],
        Before.One(InlineArray[Int, 2](1, 2)),
        MessageCodec[Before.One[InlineArray[Int, 3]]],
        "is InlineArray[Int,2]; expected InlineArray[Int,3]"
      ),
      (
        MessageCodec[Before.One[Side]],
        Before.One(Side.Buy),
        MessageCodec[Before.One[Int]],
        "is <Buy()|Sell()>; expected Int"
      ),
      (
        MessageCodec[Before.One[Map[String, Int]]],
        Before.One(Map("a" -> 1)),
        MessageCodec[Before.One[Vector[(String, Int)]]],
        "is Map[String,Int]; expected Seq[(_1:String,_2:Int)]"
      ),
      (
        MessageCodec[Before.One[Point]],
        Before.One(Point(1, 2)),
        MessageCodec[Before.One[Limit]],
        "expected <Market()|At(price:Int,until:Option[Long])>"
      )
    )
    for (from, message, to, text) <- pairs do
      val found = mismatch(from, to, message)
      assert(found.contains(text), found)

  test("cases of a message are matched by name, and their fields by name"):
    val (before, after) =
      (MessageCodec[Before.Event].named("Event"), MessageCodec[After.Event].named("Event"))
    assertEquals(
      send(Before.Event.Opened("me", 5), before, after),
      After.Event.Opened(5, "me", "here")
    )
    assertEquals(send(Before.Event.Closed, before, after), After.Event.Closed)
    val error = fault(MessageFault.UnknownCase)(send(Before.Event.Moved(1), before, after))
    says(error, "Event.Moved: expected Event.Created or Event.Closed or Event.Opened")
    val fields = fault(MessageFault.WrongSchema):
      send(After.Event.Opened(5, "me", "here"), after, before)
    says(fields, "Event.Opened: field at is Long; expected Int")

  test("cases of a field are matched by name, and an unknown one is an error if it is sent"):
    val (before, after) =
      (MessageCodec[Before.Holder].named("H"), MessageCodec[After.Holder].named("H"))
    import Before.State.*
    assertEquals(send(Before.Holder(Idle, 1), before, after), After.Holder(1, After.State.Idle))
    assertEquals(send(Before.Holder(Busy, 1), before, after), After.Holder(1, After.State.Busy))
    assertEquals(
      send(Before.Holder(At(-3), 1), before, after),
      After.Holder(1, After.State.At(-3, None))
    )
    val wide = MessageCodec[WideHolder].named("H")
    val narrow = MessageCodec[NarrowHolder].named("H")
    assertEquals(send(WideHolder(9, Wide.B), wide, narrow), NarrowHolder(Narrow.B, 9))
    val error = fault(MessageFault.UnknownCase)(send(WideHolder(9, Wide.A), wide, narrow))
    says(error, "H: field event has the unknown case A at offset 4; expected one of B")
    assertEquals((error.from, error.until), (4L, 5L))

  test("a case of a field whose fields cannot be converted is an error only if it is sent"):
    val wide = MessageCodec[WideCases].named("H")
    val narrow = MessageCodec[NarrowCases].named("H")
    assertEquals(send(WideCases(Wider.Idle), wide, narrow), NarrowCases(Narrower.Idle))
    assertEquals(send(WideCases(Wider.Gone), wide, narrow), NarrowCases(Narrower.Gone(0)))
    for _ <- 1 to 2 do
      val error = fault(MessageFault.WrongSchema)(send(WideCases(Wider.At(1)), wide, narrow))
      says(error, "H: field state.At.place is Long; expected Int")

  test("a class without fields may get fields, and lose them"):
    val (before, after) =
      (MessageCodec[Before.Empties].named("E"), MessageCodec[After.Empties].named("E"))
    val none = Before.Empties(Before.Empty(), 5, Vector(Before.Empty(), Before.Empty()))
    val some = After.Empties(Vector(After.Empty(), After.Empty()), 5, After.Empty())
    assertEquals(send(none, before, after), some)
    assertEquals(send(some, after, before), none)

  test("values of every type are skipped"):
    import org.scalacheck.rng.Seed
    val from = MessageCodec[WithEverything].named("W")
    val to = MessageCodec[WithoutEverything].named("W")
    for seed <- 0 until 200 do
      val everything =
        Generators.everything.pureApply(org.scalacheck.Gen.Parameters.default, Seed(seed))
      assertEquals(send(WithEverything(everything, seed), from, to), WithoutEverything(seed))

  test("messages of an unknown type are an error that names it"):
    val error = fault(MessageFault.UnknownType):
      send(Short2(3), MessageCodec[Short2].named("shop.Order"), MessageCodec[Short2].named("x"))
    says(error, "shop.Order: no codec of this name is registered (UnknownType in [0, 21))")

  test("a codec by functions may replace a class of the same fields only as a whole value"):
    val url = MessageCodec[Url].named("U")
    val record = MessageCodec[Before.One[String]].named("U")
    fault(MessageFault.UnknownCase)(send(Url("x"), url, record)): Unit
    fault(MessageFault.UnknownCase)(send(Before.One("x"), record, url)): Unit

  test("an error is reported again for each message of the version"):
    val sender = serializer(MessageCodec[Before.One[Long]].named("One"))
    val receiver = serializer(MessageCodec[Before.One[Int]].named("One"))
    val message = Before.One(1L)
    val errors = List.fill(3):
      fault(MessageFault.WrongSchema):
        receiver.fromBinary(sender.toBinary(message), sender.manifest(message))
    assertEquals(errors.map(_.getMessage).distinct.size, 1)
    assert(errors(0) ne errors(1))
end EvolutionTest

final case class Short2(count: Int) derives CanEqual
final case class OtherItem(name: String, count: String) derives MessageCodec
final case class WideHolder(next: Int, event: Wide)
final case class NarrowHolder(event: Narrow, next: Int) derives CanEqual
final case class WideCases(state: Wider)
final case class NarrowCases(state: Narrower) derives CanEqual
enum Wider derives MessageCodec:
  case Idle
  case At(place: Long)
  case Gone
enum Narrower derives MessageCodec, CanEqual:
  case At(place: Int)
  case Gone(count: Int = 0)
  case Idle
enum Wide derives Struct:
  case A, B
enum Narrow derives Struct, CanEqual:
  case B
final case class WithEverything(everything: Everything, last: Int)
final case class WithoutEverything(last: Int) derives CanEqual
