package undercroft.actor

import internal.dispatch.AskNesting
import internal.mailbox.SlotMemory
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.DurationInt
import undercroft.memory.Region
import undercroft.struct.{BytesRef, Ref, Text, TextRef}

class AllocationTest extends undercroft.tools.Suite:
  private val threads = ManagementFactory.getThreadMXBean match
    case bean: com.sun.management.ThreadMXBean => bean
    case bean                                  => fail(s"$bean counts no bytes")

  /** Opens the slot memory, so that messages use slots from the first one on. */
  override def beforeAll(): Unit = SlotMemory.open()

  private final class Token(val id: Int)
  private final case class Fresh(hop: Int)

  private val hops = 20_000

  /** Measures the allocation of message handlers, in rounds of `hops` messages. For one thread at a
    * time.
    */
  private final class Rounds(isPatient: Boolean):
    private val minimum = AtomicLong(Long.MaxValue)
    private val end = System.nanoTime + 60.seconds.toNanos
    private var (before, count, rounds) = (0L, 0, 0)
    private var thread: Thread | Null = null
    @volatile private var isOver = false

    /** Counts a message; returns whether to continue: until a round allocates nothing, which takes
      * until the handlers are compiled, or for 100 rounds and, if `isPatient`, 60 seconds.
      */
    def goOn(): Boolean =
      count += 1
      if count == hops then
        count = 0
        val now = threads.getCurrentThreadAllocatedBytes
        val here = Thread.currentThread
        if thread eq here then minimum.accumulateAndGet(now - before, math.min(_, _)): Unit
        before = now
        thread = here
        rounds += 1
        val isPatience = isPatient && System.nanoTime < end
        isOver = minimum.get == 0 || (rounds >= 100 && !isPatience)
      !isOver

    def leastBytes: Long = minimum.get
  end Rounds

  /** The fewest bytes that the worker allocates in a round of a ring. */
  private def ringBytes(
      first: Any,
      isPatient: Boolean = true,
      mailbox: Mailbox = Mailbox.default
  )(next: Any => Any): Long =
    val rounds = Rounds(isPatient)
    Stage.play(Run.Workers, workers = 1):
      def node(successor: => ActorRef[Any]): Behavior[Any] = Behavior.setup:
        lazy val target = successor
        Behavior.receive: token =>
          if rounds.goOn() then target ! next(token)
          Behavior.same
      lazy val nodes: Vector[ActorRef[Any]] =
        Vector.tabulate(10): i =>
          spawn(node(nodes((i + 1) % 10)), mailbox = mailbox)(using stage.system)
      nodes(0) ! first
    rounds.leastBytes

  test("forwarding one message object from actor to actor allocates nothing"):
    val token = Token(0)
    assertEquals(ringBytes(token)(identity), 0L)

  test("the allocation canary detects newly created messages"):
    val bytes = ringBytes(Fresh(0), isPatient = false):
      case Fresh(n) => Fresh(n + 1)
      case message  => message
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  for overflow <- Overflow.values do
    test(s"forwarding an object between mailboxes of each strategy allocates nothing ($overflow)"):
      val token = Token(1)
      assertEquals(ringBytes(token, mailbox = Mailbox(overflow = overflow))(identity), 0L)

  /** As `ringBytes`, for a ring whose nodes handle structs, and ask at each message whether to
    * continue.
    */
  private def structBytes(node: (() => Boolean, => ActorRef[EventLog]) => Behavior[EventLog])
      : Long =
    bytesFrom(EventLog.Token(_, 0))(node)

  private def bytesFrom(first: Int => EventLog, isPatient: Boolean = true)(
      node: (() => Boolean, => ActorRef[EventLog]) => Behavior[EventLog]
  ): Long =
    val rounds = Rounds(isPatient)
    Stage.play(Run.Workers, workers = 1):
      val goOn = () => rounds.goOn()
      lazy val nodes: Vector[ActorRef[EventLog]] =
        Vector.tabulate(10)(i => stage.start(node(goOn, nodes((i + 1) % 10))))
      for i <- 0 until 10 by 2 do nodes(i) ! first(i)
    rounds.leastBytes

  test("a struct that is newly created at each hop allocates nothing"):
    val bytes = structBytes: (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Token(id, hop) =>
          if goOn() then target ! EventLog.Token(id, hop + 1)
          Behavior.same
        case _ => Behavior.unhandled
    assertEquals(bytes, 0L)

  /** Sends a token. A function type would box the numbers unless the JIT inlines the call. */
  private trait SendToken:
    def apply(to: ActorRef[EventLog], id: Int, hop: Int): Unit

  /** The fewest bytes allocated in a round of a ring on two workers. All nodes end up on one of
    * them, as a worker that sends to an idle worker's actors takes them over.
    */
  private def bytesOnTwoWorkers(isPatient: Boolean = true)(send: SendToken): Long =
    val rounds = Rounds(isPatient)
    Stage.play(Run.Workers, workers = 2):
      def node(next: => ActorRef[EventLog]): Behavior[EventLog] = Behavior.setup:
        lazy val target = next
        Behavior.receive:
          case EventLog.Token(id, hop) =>
            if rounds.goOn() then
              if hop % 2 == 0 then target ! EventLog.Token(id, hop + 1)
              else send(target, id, hop + 1)
            Behavior.same
          case _ => Behavior.unhandled
      lazy val nodes: Vector[ActorRef[EventLog]] =
        Vector.tabulate(10)(i => stage.start(node(nodes((i + 1) % 10))))
      nodes(0) ! EventLog.Token(1, 0)
    rounds.leastBytes

  /** Records the durations of handlers while `body` runs. */
  private def recorded(body: => Long): Long =
    ActorObservation.recordDurations(true)
    try body
    finally ActorObservation.recordDurations(false)

  test("forwarding an object allocates nothing while durations are recorded"):
    val token = Token(0)
    assertEquals(recorded(ringBytes(token)(identity)), 0L)

  test("a ring of structs allocates nothing while durations are recorded"):
    val bytes = recorded(structBytes { (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Token(id, hop) =>
          if goOn() then target ! EventLog.Token(id, hop + 1)
          Behavior.same
        case _ => Behavior.unhandled
    })
    assertEquals(bytes, 0L)

  test("the allocation canary detects new messages while durations are recorded"):
    val bytes = recorded(ringBytes(Fresh(0), isPatient = false) {
      case Fresh(n) => Fresh(n + 1)
      case message  => message
    })
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  test("a ring of structs allocates nothing after migration to one of two workers"):
    val bytes = bytesOnTwoWorkers()((to, id, hop) => to ! EventLog.Token(id, hop))
    // A worker that waits for the other one may allocate; a hop may not.
    assert(bytes < hops / 10, s"$bytes bytes in $hops hops")

  test("the allocation canary detects objects in a ring on two workers"):
    val bytes =
      bytesOnTwoWorkers(isPatient = false)((to, id, hop) => to.tell(EventLog.Token(id, hop)))
    assert(bytes >= 8L * hops, s"$bytes bytes in $hops hops")

  test("a forwarded struct allocates nothing"):
    val bytes = structBytes: (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case token =>
          if goOn() then target ! token
          Behavior.same
    assertEquals(bytes, 0L)

  test("options that are destructured and newly created at each hop allocate nothing"):
    val anew = bytesFrom(id => EventLog.Maybe(Some(id), None, None, 0)): (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Maybe(Some(n), None, None, hop) =>
          if goOn() then target ! EventLog.Maybe(Some(n + 1000), None, None, hop + 1)
          Behavior.same
        case _ => Behavior.unhandled
    val on =
      bytesFrom(id => EventLog.Maybe(None, Some(Point(id, 1)), None, 0)): (goOn, next) =>
        lazy val target = next
        Behavior.receive:
          case EventLog.Maybe(None, Some(Point(x, y)), None, hop) =>
            if goOn() then target ! EventLog.Maybe(None, Some(Point(x + 1, y)), None, hop + 1)
            Behavior.same
          case _ => Behavior.unhandled
    assertEquals((anew, on), (0L, 0L))

  test("the allocation canary detects options in messages sent as objects"):
    def first(id: Int) = EventLog.Maybe(Some(id), None, None, 0)
    val bytes = bytesFrom(first, isPatient = false): (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Maybe(Some(n), at, color, hop) =>
          if goOn() then target.tell(EventLog.Maybe(Some(n + 1000), at, color, hop + 1))
          Behavior.same
        case _ => Behavior.unhandled
    assert(bytes >= 48L * hops, s"$bytes bytes in $hops hops")

  test("structs with references and off-heap text fields allocate nothing"):
    val region = Region.shared()
    given Region = region
    val (at, text, bytes) = (Ref(Point(1, 2)), TextRef("words"), BytesRef(Array[Byte](1)))
    val allocated =
      try
        bytesFrom(id => EventLog.Far(at, text, bytes, Price(id), 0)): (goOn, next) =>
          lazy val target = next
          Behavior.receive:
            case EventLog.Far(at, text, bytes, price, hop) =>
              at.x = at.x + 1
              if goOn() && text.startsWith("w") then
                target ! EventLog.Far(at, text, bytes, Price(price.cents + 1), hop + 1)
              Behavior.same
            case _ => Behavior.unhandled
      finally region.close()
    assertEquals(allocated, 0L)

  /** The fewest bytes allocated in a round of an actor that stashes and unstashes each message, and
    * that has a receive timeout.
    */
  private def stashedBytes(isPatient: Boolean = true)(next: Token => Token): Long =
    val rounds = Rounds(isPatient)
    Stage.play(Run.Workers, workers = 1):
      val (work, open) = (Token(1), Token(0))
      val actor = stage.start(Behavior.setup[Token]:
        var isOpen = false
        context.setReceiveTimeout(1.hour, open)
        Behavior.receive: token =>
          if token eq open then
            isOpen = true
            context.unstashAll()
          else if !isOpen then
            context.stash()
            self ! open
          else
            isOpen = false
            if rounds.goOn() then self ! next(token)
          Behavior.same)
      actor ! work
    rounds.leastBytes
  end stashedBytes

  test("stashing and unstashing a message beside a receive timeout allocates nothing"):
    assertEquals(stashedBytes()(identity), 0L)

  test("the allocation canary detects newly created messages in the stash test"):
    val bytes = stashedBytes(isPatient = false)(token => Token(token.id))
    assert(bytes >= 16L * hops, s"$bytes bytes for $hops messages")

  test("forwarding a message with on-heap text allocates nothing"):
    val bytes = bytesFrom(_ => EventLog.Words(Text("words"))): (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Words(text) if text.startsWith("no") => Behavior.same
        case words =>
          if goOn() then target ! words
          Behavior.same
    assertEquals(bytes, 0L)

  test("the allocation canary detects structs that are sent as objects"):
    val bytes = bytesFrom(EventLog.Token(_, 0), isPatient = false): (goOn, next) =>
      lazy val target = next
      Behavior.receive:
        case EventLog.Token(id, hop) =>
          if goOn() then target.tell(EventLog.Token(id, hop + 1))
          Behavior.same
        case _ => Behavior.unhandled
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  /** Passes each message on, perhaps as a new object. */
  private final class Passing(isCopying: Boolean) extends BehaviorInterceptor[Any, Any]:
    def aroundReceive(message: Any, target: BehaviorInterceptor.Target[Any]): Behavior[Any] =
      target.receive(message match
        case Fresh(n) if isCopying => Fresh(n + 1)
        case message               => message)

  private def interceptedBytes(isCopying: Boolean): Long =
    val rounds = Rounds(isPatient = !isCopying)
    Stage.play(Run.Workers, workers = 1):
      def node(successor: => ActorRef[Any]): Behavior[Any] = Behavior.setup:
        lazy val target = successor
        lazy val (even, odd): (Behavior[Any], Behavior[Any]) = (pass(odd), pass(even))
        def pass(next: => Behavior[Any]): Behavior[Any] = Behavior.receive: token =>
          if rounds.goOn() then target ! token
          next
        even
      lazy val nodes: Vector[ActorRef[Any]] = Vector.tabulate(10): i =>
        stage.start(Behavior.intercept(Passing(isCopying))(node(nodes((i + 1) % 10))))
      nodes(0) ! Fresh(0)
    rounds.leastBytes

  test("an interceptor around behaviors that follow each other allocates nothing"):
    assertEquals(interceptedBytes(isCopying = false), 0L)

  test("the allocation canary detects an interceptor that creates messages"):
    assert(interceptedBytes(isCopying = true) >= 16L * hops)

  test("the end of an actor without a future of it allocates nothing for one"):
    Stage.play(Run.Workers, workers = 1):
      val actor = stage.start(Behavior.ignore[Any])
      val futures = internal.cell.StopFutures()
      val cell = actor.asInstanceOf[internal.cell.ActorCell[?]]
      undercroft.testkit.assertAllocates(0)(futures.complete(cell))
      // The canary: a future allocates.
      assert(undercroft.testkit.bytesPerCall { futures.of(cell); futures.complete(cell) } > 0)

  test("the count of the nested asks of a thread allocates nothing"):
    Stage.play(Run.Caller):
      val actor = stage.start(Behavior.ignore[Any])
      var asks = 0
      var last = ""
      undercroft.testkit.assertAllocates(0)(AskNesting.count(actor)(asks += 1))
      // The canary: a new text allocates.
      assert(undercroft.testkit.bytesPerCall(AskNesting.count(actor) {
        last = last.take(1) + asks
      }) > 0)

  test("spawning an actor allocates at most 200 bytes"):
    Stage.play(Run.Workers):
      val behavior = Behavior.receive[Int](_ => Behavior.same)
      val count = 20_000
      def spawnAll(): Unit = for _ <- 1 to count do spawn(behavior)(using stage.system): Unit
      def bytesPerActor() =
        val before = threads.getCurrentThreadAllocatedBytes
        spawnAll()
        (threads.getCurrentThreadAllocatedBytes - before) / count
      // The first rounds load classes, and are not compiled.
      val rounds = Iterator.continually(bytesPerActor()).take(20)
      assert(rounds.exists(_ <= 200), s"at best ${bytesPerActor()} bytes each")
end AllocationTest
