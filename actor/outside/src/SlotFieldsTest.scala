package outside.actor

import java.lang.management.ManagementFactory
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.memory.Region
import undercroft.struct.*

enum Suit derives Struct, CanEqual:
  case Hearts, Spades

enum Figure derives Struct, CanEqual:
  case Dot
  case Disk(radius: Double)
  case Box(wide: Int, high: Short)

sealed trait Order derives Struct, CanEqual
sealed trait Open extends Order
final case class Limit(id: Int, price: Long) extends Open
final case class Market(id: Int) extends Open
case object Cancelled extends Order

final case class At(x: Int, y: Byte) derives Struct, CanEqual
final case class Line(from: At, until: At) derives Struct, CanEqual
final case class Both[A, B](left: A, right: B) derives CanEqual

opaque type Cents = Long
object Cents:
  def apply(n: Long): Cents = n
  given CanEqual[Cents, Cents] = CanEqual.derived
  extension (cents: Cents) def amount: Long = cents

/** Stored as two numbers. */
final class Span(val from: Int, val until: Int):
  override def equals(other: Any): Boolean = other match
    case span: Span => span.from == from && span.until == until
    case _          => false
  override def hashCode: Int = from * 31 + until
  override def toString: String = s"$from-$until"
object Span:
  given CanEqual[Span, Span] = CanEqual.derived
  given Struct.StoredAs[Span, At] =
    Struct.storedAs[Span, At](span => At(span.from, (span.until - span.from).toByte)): at =>
      decodes.incrementAndGet(): Unit
      Span(at.x, at.x + at.y)

  /** The number of spans that were read from memory. */
  val decodes = AtomicInteger()

type Number = Union[(whole: Long, real: Double)]

/** A message of each kind of field. */
enum Parcel derives Struct, CanEqual:
  case Numbers(
      a: Boolean,
      b: Byte,
      c: Short,
      d: Char,
      e: Int,
      f: Long,
      g: Float,
      h: Double,
      n: Int
  )
  case Words(text: Text[12], n: Int)
  case Longest(text: Text[112], n: Int)
  case Drawn(suit: Suit, figure: Figure, n: Int)
  case Ordered(order: Order, n: Int)
  case Nested(line: Line, pair: Both[Int, At], n: Int)
  case Named(tuple: (Int, Byte), place: (row: Short, column: Int), n: Int)
  case Arrays(
      ints: InlineArray[Int, 3],
      flags: InlineArray[Boolean, 3],
      texts: InlineArray[Text[4], 2],
      places: InlineArray[At, 2],
      n: Int
  )
  case Either(number: Number, n: Int)
  case Perhaps(at: Option[At], text: Option[Text[8]], figure: Option[Figure], n: Int)
  case Stored(cents: Cents, span: Span, n: Int)
  case Priced(cents: Cents, n: Int)
  case Swapped(@bigEndian order: Int, @align(16) wide: Long, n: Int)
  case Far(at: Ref[At], text: TextRef, bytes: BytesRef, n: Int)
  case TooLong(text: Text[200], n: Int)
  case Stop
end Parcel

/** A message type with type parameters. */
final case class Envelope[A](content: A, n: Int) derives CanEqual
object Envelope:
  given Struct[Envelope[At]] = Struct.derived

/** All fields that structs may have arrive unchanged in slots and as objects. */
class SlotFieldsTest extends undercroft.tools.Suite:
  import Parcel.*

  private val hello: Text[12] = Text("hello")
  private val odd: Text[12] = Text("åß€😀")
  private val zero = System.nanoTime.toInt & 0

  private def send(to: ActorRef[Parcel], far: Far): Unit =
    val n = zero
    to ! Numbers(true, -2, 3, 'x', Int.MinValue + n, Long.MaxValue, 1.5f, -0.0, 1)
    to ! Words(Text("word"), n)
    to ! Words(hello, 7)
    to ! Words(odd, n + 1)
    to ! Words(Text(""), n + 2)
    to ! Longest(Text("l" * 112), n)
    to ! Drawn(Suit.Spades, Figure.Dot, n)
    to ! Drawn(Suit.Hearts, Figure.Disk(2.5 + n), n)
    for figure <- List(Figure.Box(3, -4), Figure.Disk(-1), Figure.Dot) do
      to ! Drawn(Suit.Spades, figure, n)
    to ! Ordered(Limit(1 + n, 5), n)
    to ! Ordered(Cancelled, n)
    for order <- List[Order](Limit(2, -1), Market(3), Cancelled) do to ! Ordered(order, n)
    val line = Line(At(1, 2), At(n, -4))
    to ! Nested(line, Both(5, At(6, 7)), n)
    to ! Nested(Line(At(n, 1), line.from), Both(n, line.until), n)
    to ! Named((n, 2), (row = 3, column = 4), n)
    to ! Named((n, 2), (row = 5, column = 4), n)
    to ! Arrays(
      InlineArray(1, 2, 3 + n),
      InlineArray(true, false, true),
      InlineArray(Text("ab"), Text("cdef")),
      InlineArray(At(1, 2), At(3, 4)),
      n
    )
    to ! Either(Union(whole = -7L), n)
    to ! Either(Union(real = 2.5), n)
    to ! Perhaps(None, None, None, n)
    to ! Perhaps(Some(At(n, 1)), Some(Text("some")), Some(Figure.Box(1, 2)), n)
    for figure <- List(None, Some(Figure.Dot), Some(Figure.Disk(3))) do
      to ! Perhaps(None, figure.map(_ => Text("mapped")), figure, n)
    to ! Stored(Cents(251), Span(5, 9), n)
    to ! Priced(Cents(n), n)
    to ! Swapped(0x01020304 + n, -1, n)
    to ! Far(far.at, far.text, far.bytes, n)
    to ! TooLong(Text("t" * 150), n)
    to ! Stop
    to ! Words(n = n + 3, text = Text("named"))
  end send

  private def noted(parcel: Parcel): String = parcel match
    case Far(at, text, bytes, n) => s"far ${at.x} ${at.y} ${text.string} ${bytes(1)} $n"
    case Either(number, n)       => s"either ${number.whole} $n"
    case Arrays(ints, flags, texts, places, n) =>
      s"arrays ${ints.toVector} ${flags.toVector} ${texts.toVector} ${places.toVector} $n"
    case other => other.toString

  private type Notes = ConcurrentLinkedQueue[String]

  /** Takes each message apart. */
  private def apart(notes: Notes): Behavior[Parcel] = Behavior.receive:
    case Numbers(a, b, c, d, e, f, g, h, 1) =>
      notes.add(noted(Numbers(a, b, c, d, e, f, g, h, 1))); Behavior.same
    case Words(`hello`, n)          => notes.add(noted(Words(hello, n))); Behavior.same
    case Words(text, n) if n > zero => notes.add(noted(Words(text, n))); Behavior.same
    case Words(text, 0)             => notes.add(s"Words($text,0)"); Behavior.same
    case Longest(text, n)           => notes.add(noted(Longest(text, n))); Behavior.same
    case Drawn(suit, Figure.Disk(r), n) =>
      notes.add(noted(Drawn(suit, Figure.Disk(r), n))); Behavior.same
    case Drawn(Suit.Spades, box: Figure.Box, n) =>
      notes.add(noted(Drawn(Suit.Spades, Figure.Box(box.wide, box.high), n))); Behavior.same
    case Drawn(suit, Figure.Dot, n) => notes.add(noted(Drawn(suit, Figure.Dot, n))); Behavior.same
    case Ordered(Limit(id, price), n) =>
      notes.add(noted(Ordered(Limit(id, price), n))); Behavior.same
    case Ordered(open: Open, n) => notes.add(noted(Ordered(open, n))); Behavior.same
    case Ordered(Cancelled, n)  => notes.add(noted(Ordered(Cancelled, n))); Behavior.same
    case Nested(Line(At(x, 1), until), Both(left, right), n) =>
      notes.add(noted(Nested(Line(At(x, 1), until), Both(left, right), n))); Behavior.same
    case Nested(line, pair @ Both(left, At(x, y)), n) =>
      assertEquals(pair, Both(left, At(x, y)))
      notes.add(noted(Nested(line, pair, n))); Behavior.same
    case Named((a, 2), (row = 3, column = column), n) =>
      notes.add(noted(Named((a, 2), (row = 3, column = column), n))); Behavior.same
    case Named((a, b), place, n) =>
      notes.add(noted(Named((a, b), (row = place.row, column = place.column), n))); Behavior.same
    case Arrays(ints, flags, texts, places, n) =>
      notes.add(noted(Arrays(ints, flags, texts, places, n))); Behavior.same
    case Either(number, n) => notes.add(noted(Either(number, n))); Behavior.same
    case Perhaps(None, None, None, n) =>
      notes.add(noted(Perhaps(None, None, None, n))); Behavior.same
    case Perhaps(Some(At(x, y)), text @ Some(_), Some(Figure.Box(w, h)), n) =>
      notes.add(noted(Perhaps(Some(At(x, y)), text, Some(Figure.Box(w, h)), n))); Behavior.same
    case Perhaps(at, Some(text), figure, n) =>
      notes.add(noted(Perhaps(at, Some(text), figure, n))); Behavior.same
    case Stored(cents, span, n) =>
      notes.add(noted(Stored(Cents(cents.amount), Span(span.from, span.until), n))); Behavior.same
    case Priced(cents, n)        => notes.add(noted(Priced(cents, n))); Behavior.same
    case Swapped(order, wide, n) => notes.add(noted(Swapped(order, wide, n))); Behavior.same
    case Far(at, text, bytes, n) => notes.add(noted(Far(at, text, bytes, n))); Behavior.same
    case TooLong(text, n)        => notes.add(noted(TooLong(text, n))); Behavior.same
    case Stop                    => notes.add(noted(Stop)); Behavior.same
    case whole                   => notes.add(s"whole ${noted(whole)}"); Behavior.same

  private def whole(notes: Notes): Behavior[Parcel] = Behavior.receive:
    case words: Words => notes.add(noted(words)); Behavior.same
    case parcel       => notes.add(noted(parcel)); Behavior.same

  private def forwarding(next: ActorRef[Parcel]): Behavior[Parcel] = Behavior.receive:
    case Stop   => next ! Stop; Behavior.same
    case parcel => next ! parcel; Behavior.same

  private def stashing(notes: Notes): Behavior[Parcel] = Behavior.setup:
    var waiting = 0
    Behavior.receive:
      case Words(_, 3) => waiting += 1; context.stash(); context.unstashAll(); whole(notes)
      case _           => waiting += 1; context.stash(); Behavior.same

  /** Sends all messages to a behavior, from an actor of its worker or from this thread. */
  private def arrived(isInSlots: Boolean)(behavior: ActorSystem ?=> Notes => Behavior[Parcel])(
      send: ActorRef[Parcel] => Unit
  ): List[String] =
    val notes = ConcurrentLinkedQueue[String]()
    ActorSystem.scoped("parcels", workers = 1):
      val target = spawn(behavior(notes))
      if isInSlots then
        spawn(Behavior.receive[Int] { _ =>
          send(target); Behavior.same
        }) ! 0
      else send(target)
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(summon[ActorSystem].observe.audit.isExact)
    notes.asScala.toList

  private def sentByAll(behavior: ActorSystem ?=> Notes => Behavior[Parcel]): List[List[String]] =
    val region = Region.shared()
    given Region = region
    try
      val far = new Far(Ref(At(4, 5)), TextRef("far away"), BytesRef(Array[Byte](1, 2)), 0)
      for isInSlots <- List(true, false) yield arrived(isInSlots)(behavior)(send(_, far))
    finally region.close()

  /** The notes of a behavior that gets objects from another thread. */
  private lazy val expected: List[String] = sentByAll(whole)(1)

  /** Whether a message that an actor of the same worker sends is read from memory. */
  private def isInSlot(): Boolean =
    val before = Span.decodes.get
    arrived(isInSlots = true)(whole)(_ ! Stored(Cents(1), Span(1, 2), zero)): Unit
    Span.decodes.get > before

  override def beforeAll(): Unit =
    // The slot memory is opened on first use, on a separate thread.
    val end = System.nanoTime + 1.minute.toNanos
    while !isInSlot() && System.nanoTime < end do Thread.`yield`()
    assert(isInSlot(), "messages are not in slots")

  test("fields of every kind arrive unchanged when the handler takes the message apart"):
    assertEquals(expected.size, 35)
    for notes <- sentByAll(apart) do assertEquals(notes, expected)

  test("fields of every kind arrive unchanged when the handler binds the whole message"):
    for notes <- sentByAll(whole) do assertEquals(notes, expected)

  test("fields of every kind arrive unchanged when the message is forwarded"):
    val all = sentByAll: notes =>
      forwarding(spawn(forwarding(spawn(apart(notes)))))
    for notes <- all do assertEquals(notes, expected)

  test("a message that other code than the body sends is the one that the case matched"):
    for isInSlots <- List(true, false) do
      val laterSends = ConcurrentLinkedQueue[() => Unit]()
      def later(send: => Unit): Unit = laterSends.add(() => send): Unit
      val seen = arrived(isInSlots)(notes =>
        val target = spawn(whole(notes))
        Behavior.receive:
          case words: Words =>
            laterSends.add(() => target ! words)
            Behavior.same
          case drawn: Drawn =>
            later(target ! drawn)
            Behavior.same
          case Priced(_, n) =>
            // These overwrite the slots of the messages before.
            for i <- 1 to 4 do
              target ! Words(Text("other"), n + i)
              target ! Drawn(Suit.Hearts, Figure.Dot, n + i)
            laterSends.forEach(send => send())
            Behavior.same
          case _ => Behavior.unhandled
      ): to =>
        to ! Words(Text("first"), zero)
        to ! Drawn(Suit.Spades, Figure.Box(3, -4), zero)
        to ! Priced(Cents(zero), zero)
      assertEquals(seen.size, 10)
      assertEquals(seen.takeRight(2), List("Words(first,0)", "Drawn(Spades,Box(3,-4),0)"))

  test("fields of every kind arrive unchanged when the message is stashed"):
    for notes <- sentByAll(stashing) do assertEquals(notes.sorted, expected.sorted)

  test("a text, an array and a union in a slot are copies, and the same objects in an object"):
    val (text, ints) = (Text[12]("copied"), InlineArray[Int, 3](1, 2, 3))
    val flags = InlineArray[Boolean, 3](true, false, true)
    val texts = InlineArray[Text[4], 2](Text("a"), Text("b"))
    val places = InlineArray[At, 2](At(1, 2), At(3, 4))
    for isInSlots <- List(true, false) do
      val same = ConcurrentLinkedQueue[Boolean]()
      val seen = arrived(isInSlots)(notes =>
        Behavior.receive:
          case Words(other, _) =>
            same.add(other.string eq text.string); notes.add("words"); Behavior.same
          case Arrays(other, _, _, _, _) =>
            same.add(other eq ints); notes.add("arrays"); Behavior.same
          case _ => Behavior.unhandled
      ): to =>
        to ! Words(text, zero)
        to ! Arrays(ints, flags, texts, places, zero)
      assertEquals(seen, List("words", "arrays"))
      assertEquals(same.asScala.toList, List.fill(2)(!isInSlots))

  test("an argument that throws is not sent, and the next message is"):
    def failing: Int = throw IllegalStateException("no count")
    val seen = arrived(isInSlots = true)(whole): to =>
      intercept[IllegalStateException](to ! Words(Text("a"), failing)): Unit
      to ! Drawn(Suit.Hearts, Figure.Disk(1), zero)
    assertEquals(seen, List("Drawn(Hearts,Disk(1.0),0)"))

  test("arguments are evaluated once, in their order, before the message is sent"):
    for isInSlots <- List(true, false) do
      val order = ConcurrentLinkedQueue[String]()
      def next[A](name: String, value: A): A =
        order.add(name); value
      val seen = arrived(isInSlots)(whole): to =>
        next("to", to) ! Drawn(
          next("suit", Suit.Hearts),
          Figure.Box(next("wide", 1), next("high", 2)),
          { to ! Words(Text("inner"), zero); next("n", zero) }
        )
      assertEquals(order.asScala.toList, List("to", "suit", "wide", "high", "n"))
      assertEquals(seen, List("Words(inner,0)", "Drawn(Hearts,Box(1,2),0)"))

  test("messages with type parameters arrive unchanged"):
    val notes = ConcurrentLinkedQueue[String]()
    ActorSystem.scoped("envelopes", workers = 1):
      val target = spawn(Behavior.receive[Envelope[At]] {
        case Envelope(At(x, 1), n) => notes.add(s"$x one $n"); Behavior.same
        case Envelope(at, n)       => notes.add(s"$at $n"); Behavior.same
      })
      spawn(Behavior.receive[Int] { n =>
        target ! Envelope(At(n, 1), n)
        target ! Envelope(At(n, 2), n)
        Behavior.same
      }) ! 5
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
    assertEquals(notes.asScala.toList, List("5 one 5", "At(5,2) 5"))

  test("an ask whose message has a Text field gets its reply"):
    val reply = ActorSystem.scoped("asks", workers = 1):
      val target = spawn(Behavior.receive[Asked] {
        case Asked.Length(text, to) => to ! text.string.length; Behavior.same
        case Asked.Nothing          => Behavior.same
      })
      target.ask(1.minute)(to => Asked.Length(Text("four"), to))
    assertEquals(reply, 4)

  private val threads = ManagementFactory.getThreadMXBean match
    case bean: com.sun.management.ThreadMXBean => bean
    case bean                                  => fail(s"$bean counts no bytes")

  private val hops = 10_000

  /** The fewest bytes that a worker allocates in a round of messages between two actors. */
  private def bytesOf(rounds: Int, send: ActorRef[Parcel] => Unit)(
      handle: (ActorRef[Parcel], () => Boolean) => Behavior[Parcel]
  ): Long =
    val least = AtomicLong(Long.MaxValue)
    var (count, round, before) = (0, 0, -1L)
    def isGoingOn(): Boolean =
      count += 1
      if count == hops then
        count = 0
        round += 1
        val now = threads.getCurrentThreadAllocatedBytes
        if before >= 0 then least.accumulateAndGet(now - before, math.min(_, _)): Unit
        before = threads.getCurrentThreadAllocatedBytes
      round < rounds && least.get != 0
    ActorSystem.scoped("bytes", workers = 1):
      lazy val first: ActorRef[Parcel] = spawn(Behavior.setup(handle(second, isGoingOn)))
      lazy val second: ActorRef[Parcel] = spawn(Behavior.setup(handle(first, isGoingOn)))
      send(first)
      assert(summon[ActorSystem].awaitQuiescence(2.minutes))
    least.get
  end bytesOf

  test("messages with fields of every kind that is not on the heap allocate nothing"):
    val region = Region.shared()
    given Region = region
    val far = new Far(Ref(At(4, 5)), TextRef("far away"), BytesRef(Array[Byte](1, 2)), 0)
    val firsts = List[(String, ActorRef[Parcel] => Unit)](
      "numbers" -> (_ ! Numbers(true, 1, 2, 'c', 3, 4, 5, 6, 0)),
      "cases" -> (_ ! Drawn(Suit.Spades, Figure.Disk(1), 0)),
      "hierarchies" -> (_ ! Ordered(Limit(1, 2), 0)),
      "structs" -> (_ ! Nested(Line(At(1, 2), At(3, 4)), Both(5, At(6, 7)), 0)),
      "tuples" -> (_ ! Named((1, 2), (row = 3, column = 4), 0)),
      "options" -> (_ ! Perhaps(Some(At(1, 2)), None, Some(Figure.Disk(3)), 0)),
      "opaque types" -> (_ ! Priced(Cents(1), 0)),
      "byte order and alignment" -> (_ ! Swapped(1, 2, 0)),
      "references" -> (_ ! far)
    )
    try
      for (name, first) <- firsts do
        val bytes = bytesOf(2000, first): (to, isGoingOn) =>
          Behavior.receive:
            case Numbers(a, b, c, d, e, f, g, h, n) =>
              if isGoingOn() then to ! Numbers(!a, b, c, d, e, f + 1, g, h, n + 1)
              Behavior.same
            case Drawn(suit, Figure.Disk(r), n) =>
              if isGoingOn() then to ! Drawn(suit, Figure.Disk(r + 1), n + 1)
              Behavior.same
            case Ordered(Limit(id, price), n) =>
              if isGoingOn() then to ! Ordered(Limit(id, price + 1), n + 1)
              Behavior.same
            case Nested(Line(At(a, b), At(c, d)), Both(left, At(x, y)), n) =>
              if isGoingOn() then
                to ! Nested(Line(At(c, d), At(a, b)), Both(left + 1, At(x, y)), n + 1)
              Behavior.same
            case Named((a, b), (row, column), n) =>
              if isGoingOn() then to ! Named((a + 1, b), (row = row, column = column), n + 1)
              Behavior.same
            case Perhaps(Some(At(x, y)), None, Some(Figure.Disk(r)), n) =>
              if isGoingOn() then
                to ! Perhaps(Some(At(x + 1, y)), None, Some(Figure.Disk(r + 1)), n + 1)
              Behavior.same
            case Priced(cents, n) =>
              if isGoingOn() then to ! Priced(Cents(cents.amount + 1), n + 1)
              Behavior.same
            case Swapped(order, wide, n) =>
              if isGoingOn() then to ! Swapped(order + 1, wide - 1, n + 1)
              Behavior.same
            case Far(at, text, bytes, n) =>
              if isGoingOn() then to ! Far(at, text, bytes, n + 1)
              Behavior.same
            case _ => Behavior.unhandled
        assertEquals(bytes, 0L, name)
    finally region.close()
    end try

  test("the allocation canary detects messages that are sent as objects"):
    val bytes = bytesOf(20, _ ! Drawn(Suit.Spades, Figure.Disk(1), 0)): (to, isGoingOn) =>
      Behavior.receive:
        case Drawn(suit, Figure.Disk(r), n) =>
          if isGoingOn() then to.tell(Drawn(suit, Figure.Disk(r + 1), n + 1))
          Behavior.same
        case _ => Behavior.unhandled
    assert(bytes >= 24L * hops, s"$bytes bytes in $hops hops")

  test("a text is compared in its slot without an allocation"):
    val bytes = bytesOf(2000, _ ! Words(hello, 0)): (to, isGoingOn) =>
      Behavior.receive:
        case Words(`odd`, _) => Behavior.stopped
        case Words(`hello`, n) =>
          if isGoingOn() then to ! Words(hello, n + 1)
          Behavior.same
        case _ => Behavior.unhandled
    assertEquals(bytes, 0L)
end SlotFieldsTest

enum Asked derives CanEqual:
  case Length(text: Text[8], to: Reply[Int])
  case Nothing
