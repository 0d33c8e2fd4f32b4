package undercroft.actor

import internal.mailbox.{MessageSlot, SlotMemory, SlotPool}
import undercroft.memory.Region
import undercroft.struct.{BytesRef, Ref, Text, TextRef}

/** Messages in slots behave as objects do. */
class MessageSlotTest extends EveryModel:

  /** Sends from an actor on the same run model, so that on workers the messages are stored in
    * slots.
    */
  private def from(to: ActorRef[EventLog])(send: ActorRef[EventLog] => Unit)(using
      stage: Stage
  ): Unit =
    val sender = stage.start(Behavior.receive[Int] { _ =>
      send(to)
      Behavior.stopped
    })
    sender ! 0

  onEveryModel("each enum case and each field of a struct message arrives unchanged"):
    val actor = stage.start(Behavior.receive[EventLog] {
      case EventLog.Stop                           => note("stop"); Behavior.same
      case EventLog.Token(7, value)                => note(s"seven $value"); Behavior.same
      case EventLog.Token(id, value) if value > id => note(s"$id below $value"); Behavior.same
      case EventLog.Token(id, _)                   => note(s"token $id"); Behavior.same
      case EventLog.All(a, b, c, d, e, f, g, h, color, Point(x, y)) =>
        note(s"$a $b $c $d $e $f $g $h $color $x $y"); Behavior.same
      case EventLog.Words(text) => note(s"$text"); Behavior.same
      case message              => note(s"other $message"); Behavior.same
    })
    from(actor): to =>
      to ! EventLog.Stop
      to ! EventLog.Token(7, -1)
      to ! EventLog.Token(1, 2)
      to ! EventLog.Token(2, 1)
      to ! EventLog.All(
        true,
        -2,
        3,
        'x',
        Int.MinValue,
        Long.MaxValue,
        1.5f,
        -0.0,
        Color.Green,
        Point(9, 0.5)
      )
      to ! EventLog.Words(Text("words"))
      to ! EventLog.Start
    assertEquals(
      stage.noted,
      List(
        "stop",
        "seven -1",
        "1 below 2",
        "token 2",
        "true -2 3 x -2147483648 9223372036854775807 1.5 -0.0 Green 9 0.5",
        "words",
        "other Start"
      )
    )

  onEveryModel("options in struct messages arrive unchanged, whole or destructured"):
    val actor = stage.start(Behavior.receive[EventLog] {
      case EventLog.Maybe(None, at, color, 1) => note(s"none $at $color"); Behavior.same
      case EventLog.Maybe(Some(7), _, _, 1)   => note("seven"); Behavior.same
      case EventLog.Maybe(Some(n), Some(Point(x, y)), _, 1) => note(s"$n $x $y"); Behavior.same
      case EventLog.Maybe(_, None, Some(Color.Green), 1)    => note("green"); Behavior.same
      case EventLog.Maybe(n, at, color, left) => note(s"$n $at $color $left"); Behavior.same
      case _                                  => Behavior.unhandled
    })
    from(actor): to =>
      to ! EventLog.Maybe(None, Some(Point(1, 2)), None, 1)
      to ! EventLog.Maybe(Some(7), None, None, 1)
      to ! EventLog.Maybe(Some(8), Some(Point(3, 4)), None, 1)
      to ! EventLog.Maybe(Some(9), None, Some(Color.Green), 1)
      for n <- List(None, Some(5)) do
        to ! EventLog.Maybe(n, n.map(Point(_, 0.5)), Some(Color.Red), 2)
    assertEquals(
      stage.noted,
      List(
        "none Some(Point(1,2.0)) None",
        "seven",
        "8 3 4.0",
        "green",
        "None None Some(Red) 2",
        "Some(5) Some(Point(5,0.5)) Some(Red) 2"
      )
    )

  onEveryModel("references, off-heap text and opaque values in struct messages arrive unchanged"):
    val region = Region.shared()
    given Region = region
    try
      val point = Ref(Point(1, 2.5))
      val (text, bytes) = (TextRef("far away"), BytesRef(Array[Byte](1, 2, 3)))
      val actor = stage.start(Behavior.receive[EventLog] {
        case EventLog.Far(at, text, bytes, price, left) if left > 0 =>
          note(s"${at.x} ${at.y} ${text.string} ${bytes(2)} ${price.cents}")
          Behavior.same
        case far: EventLog.Far => note(s"${far.at.x} ${far.price.cents}"); Behavior.same
        case _                 => Behavior.unhandled
      })
      from(actor): to =>
        to ! EventLog.Far(point, text, bytes, Price(251), 1)
        to ! EventLog.Far(point, TextRef.empty, bytes, Price(-1), 0)
      assertEquals(stage.noted, List("1 2.5 far away 3 251", "1 -1"))
    finally region.close()
    end try

  onEveryModel("struct messages in slots and messages as objects arrive in one order"):
    val actor = stage.start(Behavior.receive[EventLog] {
      case EventLog.Token(_, value) => note(s"$value"); Behavior.same
      case EventLog.Words(text)     => note(s"$text"); Behavior.same
      case _                        => Behavior.unhandled
    })
    from(actor): to =>
      for n <- 0 until 100 do
        if n % 3 == 0 then to.tell(EventLog.Token(0, n))
        else if n % 7 == 0 then to ! EventLog.Words(Text(s"$n"))
        else to ! EventLog.Token(0, n)
    assertEquals(stage.noted, (0 until 100).map(_.toString).toList)

  onEveryModel("a struct message can be stashed and unstashed"):
    def open: Behavior[EventLog] = Behavior.receive:
      case EventLog.Token(id, value) => note(s"$id $value"); Behavior.same
      case _                         => Behavior.unhandled
    val actor = stage.start(Behavior.setup[EventLog]:
      Behavior.receive:
        case EventLog.Start => context.unstashAll(); open
        case _              => context.stash(); Behavior.same)
    from(actor): to =>
      to ! EventLog.Token(1, 2)
      to ! EventLog.Token(3, 4)
      to ! EventLog.Start
      to ! EventLog.Token(5, 6)
    assertEquals(stage.noted, List("1 2", "3 4", "5 6"))
    assertEquals(stage.system.observe.audit.stashed, 0L)

  onEveryModel("unhandled and late struct messages are dead letters with their fields"):
    val actor = stage.start(Behavior.receive[EventLog] {
      case EventLog.Token(1, _) => Behavior.unhandled
      case EventLog.Stop        => Behavior.stopped
      case _                    => Behavior.same
    })
    from(actor): to =>
      to ! EventLog.Token(1, 7)
      to ! EventLog.Token(2, 8)
      to ! EventLog.Stop
      to ! EventLog.Token(3, 9)
      to ! EventLog.All(true, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8))
    stage.until("it has stopped")(actor.isStopped)
    stage.quiet()
    assertEquals(
      stage.lost,
      List(
        (EventLog.Token(1, 7), DeadLetterReason.Unhandled),
        (EventLog.Token(3, 9), DeadLetterReason.Stopped),
        (
          EventLog.All(true, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8)),
          DeadLetterReason.Stopped
        )
      )
    )

  onEveryModel("a failing handler of struct messages restarts and keeps waiting messages"):
    val actor = stage.start(
      Behavior
        .receive[EventLog] {
          case EventLog.Token(0, value) => throw Exception(s"token $value")
          case EventLog.Token(_, value) => note(s"$value"); Behavior.same
          case _                        => Behavior.unhandled
        }
        .supervised { case _ => Supervision.Restart() }
    )
    from(actor): to =>
      for n <- 1 to 9 do to ! EventLog.Token(n % 3, n)
    assertEquals(stage.noted, List("1", "2", "4", "5", "7", "8"))
    assertEquals(stage.decided.map(_._1), List("token 3", "token 6", "token 9"))
    assertEquals(stage.system.observe.audit.failed, 3L)

  onEveryModel("a behavior that is a function of objects handles waiting struct messages"):
    def objects: Behavior[EventLog] =
      val handle: EventLog => Behavior[EventLog] = event =>
        note(s"$event"); Behavior.same
      Behavior.receive(handle)
    val actor = stage.start(Behavior.receive[EventLog] {
      case EventLog.Start => objects
      case _              => Behavior.unhandled
    })
    from(actor): to =>
      to ! EventLog.Start
      to ! EventLog.Token(1, 2)
      to ! EventLog.Stop
    assertEquals(stage.noted, List("Token(1,2)", "Stop"))

  onEveryModel("a struct message bound to a variable is materialized as an object"):
    val last = stage.start(Behavior.receive[EventLog] {
      case whole @ EventLog.Token(id, _) => note(s"$id in $whole"); Behavior.same
      case whole: EventLog.All           => note(s"${whole.at}"); Behavior.same
      case message                       => note(s"$message, ${message.ordinal}"); Behavior.same
    })
    val between = stage.start(Behavior.receive[EventLog] {
      case EventLog.Start => last ! EventLog.Stop; Behavior.same
      case message        => last ! message; Behavior.same
    })
    from(between): to =>
      to ! EventLog.Token(5, 6)
      to ! EventLog.All(false, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8))
      to ! EventLog.Start
    assertEquals(stage.noted, List("5 in Token(5,6)", "Point(7,8.0)", "Stop, 0"))

  test("a mailbox limit applies to struct messages"):
    Stage.play(Run.Workers, workers = 1):
      val actor = stage.start(
        Behavior.receive[EventLog] { _ => Behavior.same },
        "small",
        Mailbox(3)
      )
      val taker = stage.start(
        Behavior.receive[EventLog] {
          case EventLog.Token(_, _) => note("one"); Behavior.same
          case _                    => Behavior.same
        },
        "tiny",
        Mailbox(3)
      )
      for target <- List(actor, taker) do
        from(target): to =>
          try for n <- 1 to 5 do to ! EventLog.Token(1, n)
          catch case e: MailboxFullException => note(e.getMessage)
      assertEquals(
        stage.noted.sorted,
        List.fill(3)("one") ++
          List("small", "tiny").map(name => s"the mailbox of $name is full: 3 messages wait")
      )

  test("struct messages migrate between workers with their actors, and none is lost"):
    Stage.play(Run.Workers, workers = 2):
      val count = 64
      val rounds = 2000
      val sum = java.util.concurrent.atomic.AtomicLong()
      lazy val nodes: Vector[ActorRef[EventLog]] = Vector.tabulate(count): i =>
        stage.start(Behavior.receive[EventLog] {
          case EventLog.Token(id, left) =>
            sum.addAndGet(id): Unit
            // Enough work for another worker to help.
            for _ <- 0 until (left * 31 + i) % 97 do Thread.onSpinWait()
            if left > 0 then nodes((i * 7 + left) % count) ! EventLog.Token(id, left - 1)
            Behavior.same
          case _ => Behavior.unhandled
        })
      for i <- 0 until count do nodes(i) ! EventLog.Token(i, rounds)
      stage.quiet()
      assertEquals(sum.get, (rounds + 1L) * count * (count - 1) / 2)
      assertEquals(stage.system.observe.audit.handled, (rounds + 1L) * count)

  test("slots freed to another worker's pool are reused"):
    SlotMemory.open()
    val memory = SlotMemory("test")
    val (here, there) = (SlotPool(memory), SlotPool(memory))
    val allSlots = scala.collection.mutable.HashSet[Long]()
    for _ <- 1 to 100 do
      val slots = List.fill(1000)(here.take(1))
      assert(slots.forall(_ != 0))
      assertEquals(slots.distinct.size, 1000)
      allSlots ++= slots
      slots.foreach(there.release(_, 1))
    assert(allSlots.size <= 8 * SlotPool.Batch, s"${allSlots.size} slots for a thousand at a time")
    memory.close()
    assertEquals(memory.take(1, new Array[Long](SlotPool.Batch)), 0)

  test("the pools of two workers exchange slots of every size without an allocation on the heap"):
    SlotMemory.open()
    val memory = SlotMemory("test")
    val (here, there) = (SlotPool(memory), SlotPool(memory))
    val bean = java.lang.management.ManagementFactory.getPlatformMXBean(
      classOf[com.sun.management.ThreadMXBean]
    )
    val slots = new Array[Long](1000)
    def exchange(rounds: Int): Long =
      val before = bean.getCurrentThreadAllocatedBytes
      var i = 0
      while i < rounds * slots.length do
        val slot = i % slots.length
        val size = i / slots.length % MessageSlot.Sizes
        slots(slot) = here.take(size)
        if slot == slots.length - 1 then
          var k = 0
          while k < slots.length do
            there.release(slots(k), size)
            k += 1
        i += 1
      bean.getCurrentThreadAllocatedBytes - before
    val bytes = Iterator.continually(exchange(30)).take(500).min
    memory.close()
    assertEquals(bytes, 0L)
end MessageSlotTest
