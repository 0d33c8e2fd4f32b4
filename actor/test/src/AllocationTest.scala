package undercroft.actor

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.DurationInt
import undercroft.memory.Region
import undercroft.struct.{BytesRef, Ref, Text, TextRef}

class AllocationTest extends munit.FunSuite:
  private val threads = ManagementFactory.getThreadMXBean match
    case bean: com.sun.management.ThreadMXBean => bean
    case other                                 => fail(s"$other counts no bytes")

  /** Messages go in slots from the first one on. */
  override def beforeAll(): Unit = SlotMemory.open()

  private final class Token(var left: Int)
  private final case class Fresh(left: Int)

  private val hops = 20_000
  private val rounds = 200

  /** The bytes that the worker allocates in the best round of a ring. */
  private def ringBytes(first: Any, next: Any => Any): Long =
    val least = AtomicLong(Long.MaxValue)
    Stage.play(Run.Workers, workers = 1):
      var before = 0L
      var count = 0
      def node(other: => ActorRef[Any]): Behavior[Any] = Behavior.setup:
        lazy val target = other
        Behavior.receive: token =>
          count += 1
          if count % hops == 0 then
            val now = threads.getCurrentThreadAllocatedBytes
            if count > hops then least.accumulateAndGet(now - before, math.min(_, _)): Unit
            before = now
          if count < hops * rounds then target ! next(token)
          Behavior.same
      lazy val nodes: Vector[ActorRef[Any]] =
        Vector.tabulate(10)(i => stage.start(node(nodes((i + 1) % 10))))
      nodes(0) ! first
    least.get

  test("a message that is passed on from actor to actor allocates nothing"):
    val token = Token(0)
    assertEquals(ringBytes(token, identity), 0L)

  test("the measure sees messages that are made anew"):
    val bytes = ringBytes(Fresh(0), { case Fresh(n) => Fresh(n + 1); case other => other })
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  /** As `ringBytes`, for a ring whose nodes handle structs; each tells `look` of its messages. */
  private def structBytes(node: (() => Unit, => ActorRef[Told]) => Behavior[Told]): Long =
    bytesFrom(Told.Token(_, _))(node)

  private def bytesFrom(
      first: (Int, Int) => Told
  )(node: (() => Unit, => ActorRef[Told]) => Behavior[Told]): Long =
    val least = AtomicLong(Long.MaxValue)
    Stage.play(Run.Workers, workers = 1):
      var before = 0L
      var count = 0
      val look = () =>
        count += 1
        if count % hops == 0 then
          val now = threads.getCurrentThreadAllocatedBytes
          if count > hops then least.accumulateAndGet(now - before, math.min(_, _)): Unit
          before = now
      lazy val nodes: Vector[ActorRef[Told]] =
        Vector.tabulate(10)(i => stage.start(node(look, nodes((i + 1) % 10))))
      for i <- 0 until 10 by 2 do nodes(i) ! first(i, hops * rounds / 5)
    least.get

  test("a struct that is made anew at each hop allocates nothing"):
    val bytes = structBytes: (look, next) =>
      lazy val target = next
      Behavior.receive:
        case Told.Token(id, left) =>
          look()
          if left > 0 then target ! Told.Token(id, left - 1)
          Behavior.same
        case _ => Behavior.unhandled
    assertEquals(bytes, 0L)

  /** The bytes of the best round of a ring on two workers that lies on one of them all the time: a
    * worker that sends to an idle one's actors takes them.
    */
  private def bytesOnTwoWorkers(send: (ActorRef[Told], Int, Int) => Unit): Long =
    val least = AtomicLong(Long.MaxValue)
    Stage.play(Run.Workers, workers = 2):
      var (before, count) = (0L, 0)
      var thread = Thread.currentThread
      def node(next: => ActorRef[Told]): Behavior[Told] = Behavior.setup:
        lazy val target = next
        Behavior.receive:
          case Told.Token(id, left) =>
            count += 1
            if count % hops == 0 then
              val now = threads.getCurrentThreadAllocatedBytes
              if thread eq Thread.currentThread then
                least.accumulateAndGet(now - before, math.min(_, _)): Unit
              before = now
              thread = Thread.currentThread
            if left > 0 then
              if left % 2 == 0 then target ! Told.Token(id, left - 1)
              else send(target, id, left - 1)
            Behavior.same
          case _ => Behavior.unhandled
      lazy val nodes: Vector[ActorRef[Told]] =
        Vector.tabulate(10)(i => stage.start(node(nodes((i + 1) % 10))))
      nodes(0) ! Told.Token(1, hops * rounds)
    least.get
  end bytesOnTwoWorkers

  test("a ring of structs that came to lie on one of two workers allocates nothing"):
    assertEquals(
      bytesOnTwoWorkers((to, id, left) => to ! Told.Token(id, left)),
      0L
    )

  test("the measure sees objects in a ring on two workers"):
    val bytes = bytesOnTwoWorkers((to, id, left) => to.tell(Told.Token(id, left)))
    assert(bytes >= 8L * hops, s"$bytes bytes in $hops hops")

  test("a struct that is sent on as it is allocates nothing"):
    val bytes = structBytes: (look, next) =>
      lazy val target = next
      var left = hops * rounds / 10
      Behavior.receive:
        case token =>
          look()
          left -= 1
          if left > 0 then target ! token
          Behavior.same
    assertEquals(bytes, 0L)

  test("options that are taken apart and made anew at each hop allocate nothing"):
    val anew = bytesFrom((id, left) => Told.Maybe(Some(id), None, None, left)): (look, next) =>
      lazy val target = next
      Behavior.receive:
        case Told.Maybe(Some(n), None, None, left) =>
          look()
          if left > 0 then target ! Told.Maybe(Some(n + 1000), None, None, left - 1)
          Behavior.same
        case _ => Behavior.unhandled
    val on =
      bytesFrom((id, left) => Told.Maybe(None, Some(Point(id, 1)), None, left)): (look, next) =>
        lazy val target = next
        Behavior.receive:
          case Told.Maybe(None, Some(Point(x, y)), None, left) =>
            look()
            if left > 0 then target ! Told.Maybe(None, Some(Point(x + 1, y)), None, left - 1)
            Behavior.same
          case _ => Behavior.unhandled
    assertEquals((anew, on), (0L, 0L))

  test("the measure sees options in objects"):
    val bytes = bytesFrom((id, left) => Told.Maybe(Some(id), None, None, left)): (look, next) =>
      lazy val target = next
      Behavior.receive:
        case Told.Maybe(Some(n), at, color, left) =>
          look()
          if left > 0 then target.tell(Told.Maybe(Some(n + 1000), at, color, left - 1))
          Behavior.same
        case _ => Behavior.unhandled
    assert(bytes >= 48L * hops, s"$bytes bytes in $hops hops")

  test("references, and texts outside the heap, allocate nothing"):
    val region = Region.shared()
    given Region = region
    val (at, text, bytes) = (Ref(Point(1, 2)), TextRef("words"), BytesRef(Array[Byte](1)))
    val allocated =
      try
        bytesFrom((id, left) => Told.Far(at, text, bytes, Price(id), left)): (look, next) =>
          lazy val target = next
          Behavior.receive:
            case Told.Far(at, text, bytes, price, left) =>
              look()
              at.x = at.x + 1
              if left > 0 && text.startsWith("w") then
                target ! Told.Far(at, text, bytes, Price(price.cents + 1), left - 1)
              Behavior.same
            case _ => Behavior.unhandled
      finally region.close()
    assertEquals(allocated, 0L)

  /** The bytes of the best round of an actor that puts each message aside, and has it again; a
    * receive timeout looks at each, too.
    */
  private def stashedBytes(next: Token => Token): Long =
    val least = AtomicLong(Long.MaxValue)
    Stage.play(Run.Workers, workers = 1):
      val (work, open) = (Token(hops * rounds / 10), Token(0))
      var (before, count) = (0L, 0)
      val actor = stage.start(Behavior.setup[Token]:
        var isOpen = false
        context.receiveTimeout(1.hour, open)
        Behavior.receive: token =>
          if token eq open then
            isOpen = true
            context.unstashAll()
          else if !isOpen then
            context.stash()
            self ! open
          else
            isOpen = false
            count += 1
            if count % hops == 0 then
              val now = threads.getCurrentThreadAllocatedBytes
              if count > hops then least.accumulateAndGet(now - before, math.min(_, _)): Unit
              before = now
            token.left -= 1
            if token.left > 0 then self ! next(token)
          Behavior.same)
      actor ! work
    least.get
  end stashedBytes

  test("a message that is stashed, and comes again, allocates nothing, beside a timer"):
    assertEquals(stashedBytes(identity), 0L)

  test("the measure sees messages that are stashed and made anew"):
    val bytes = stashedBytes(token => Token(token.left))
    assert(bytes >= 16L * hops, s"$bytes bytes for $hops messages")

  test("a text on the heap is an object, which is sent on as it is"):
    var left = hops * rounds / 10
    val bytes = bytesFrom((_, _) => Told.Words(Text("words"))): (look, next) =>
      lazy val target = next
      Behavior.receive:
        case Told.Words(text) if text.startsWith("no") => Behavior.same
        case words =>
          look()
          left -= 1
          if left > 0 then target ! words
          Behavior.same
    assertEquals(bytes, 0L)

  test("the measure sees structs that are sent as objects"):
    val bytes = structBytes: (look, next) =>
      lazy val target = next
      Behavior.receive:
        case Told.Token(id, left) =>
          look()
          if left > 0 then target.tell(Told.Token(id, left - 1))
          Behavior.same
        case _ => Behavior.unhandled
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  test("an actor takes two hundred bytes at most"):
    Stage.play(Run.Workers):
      val behavior = Behavior.receive[Int](_ => Behavior.same)
      val count = 20_000
      def spawnAll(): Unit = for _ <- 1 to count do spawn(behavior)(using stage.system): Unit
      spawnAll()
      val before = threads.getCurrentThreadAllocatedBytes
      spawnAll()
      val each = (threads.getCurrentThreadAllocatedBytes - before) / count
      assert(each <= 200, s"$each bytes each")
end AllocationTest
