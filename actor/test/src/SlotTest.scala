package undercroft.actor

import undercroft.memory.Region
import undercroft.struct.{BytesRef, Ref, Text, TextRef}

/** Messages in slots: they do what objects do. */
class SlotTest extends EveryModel:

  /** Sends by an actor of the same kind, so that on workers the messages go in slots. */
  private def from(to: ActorRef[Told])(send: ActorRef[Told] => Unit)(using stage: Stage): Unit =
    val sender = stage.start(Behavior.receive[Int] { _ =>
      send(to)
      Behavior.stopped
    })
    sender ! 0

  onEveryModel("each case and each field arrives as it was sent"):
    val actor = stage.start(Behavior.receive[Told] {
      case Told.Stop                           => note("stop"); Behavior.same
      case Told.Token(7, value)                => note(s"seven $value"); Behavior.same
      case Told.Token(id, value) if value > id => note(s"$id below $value"); Behavior.same
      case Told.Token(id, _)                   => note(s"token $id"); Behavior.same
      case Told.All(a, b, c, d, e, f, g, h, color, Point(x, y)) =>
        note(s"$a $b $c $d $e $f $g $h $color $x $y"); Behavior.same
      case Told.Words(text) => note(s"$text"); Behavior.same
      case other            => note(s"other $other"); Behavior.same
    })
    from(actor): to =>
      to ! Told.Stop
      to ! Told.Token(7, -1)
      to ! Told.Token(1, 2)
      to ! Told.Token(2, 1)
      to ! Told.All(
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
      to ! Told.Words(Text("words"))
      to ! Told.Start
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

  onEveryModel("options arrive as they were sent, whole or taken apart"):
    val actor = stage.start(Behavior.receive[Told] {
      case Told.Maybe(None, at, color, 1)               => note(s"none $at $color"); Behavior.same
      case Told.Maybe(Some(7), _, _, 1)                 => note("seven"); Behavior.same
      case Told.Maybe(Some(n), Some(Point(x, y)), _, 1) => note(s"$n $x $y"); Behavior.same
      case Told.Maybe(_, None, Some(Color.Green), 1)    => note("green"); Behavior.same
      case Told.Maybe(n, at, color, left) => note(s"$n $at $color $left"); Behavior.same
      case _                              => Behavior.unhandled
    })
    from(actor): to =>
      to ! Told.Maybe(None, Some(Point(1, 2)), None, 1)
      to ! Told.Maybe(Some(7), None, None, 1)
      to ! Told.Maybe(Some(8), Some(Point(3, 4)), None, 1)
      to ! Told.Maybe(Some(9), None, Some(Color.Green), 1)
      for n <- List(None, Some(5)) do to ! Told.Maybe(n, n.map(Point(_, 0.5)), Some(Color.Red), 2)
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

  onEveryModel("references, texts outside the heap and opaque values arrive as they were sent"):
    val region = Region.shared()
    given Region = region
    try
      val point = Ref(Point(1, 2.5))
      val (text, bytes) = (TextRef("far away"), BytesRef(Array[Byte](1, 2, 3)))
      val actor = stage.start(Behavior.receive[Told] {
        case Told.Far(at, text, bytes, price, left) if left > 0 =>
          note(s"${at.x} ${at.y} ${text.string} ${bytes(2)} ${price.cents}")
          Behavior.same
        case far: Told.Far => note(s"${far.at.x} ${far.price.cents}"); Behavior.same
        case _             => Behavior.unhandled
      })
      from(actor): to =>
        to ! Told.Far(point, text, bytes, Price(251), 1)
        to ! Told.Far(point, TextRef.empty, bytes, Price(-1), 0)
      assertEquals(stage.noted, List("1 2.5 far away 3 251", "1 -1"))
    finally region.close()
    end try

  onEveryModel("messages in slots and objects keep one order"):
    val actor = stage.start(Behavior.receive[Told] {
      case Told.Token(_, value) => note(s"$value"); Behavior.same
      case Told.Words(text)     => note(s"$text"); Behavior.same
      case _                    => Behavior.unhandled
    })
    from(actor): to =>
      for n <- 0 until 100 do
        if n % 3 == 0 then to.tell(Told.Token(0, n))
        else if n % 7 == 0 then to ! Told.Words(Text(s"$n"))
        else to ! Told.Token(0, n)
    assertEquals(stage.noted, (0 until 100).map(_.toString).toList)

  onEveryModel("a struct is stashed and comes again, as an object does"):
    def open: Behavior[Told] = Behavior.receive:
      case Told.Token(id, value) => note(s"$id $value"); Behavior.same
      case _                     => Behavior.unhandled
    val actor = stage.start(Behavior.setup[Told]:
      Behavior.receive:
        case Told.Start => context.unstashAll(); open
        case _          => context.stash(); Behavior.same)
    from(actor): to =>
      to ! Told.Token(1, 2)
      to ! Told.Token(3, 4)
      to ! Told.Start
      to ! Told.Token(5, 6)
    assertEquals(stage.noted, List("1 2", "3 4", "5 6"))
    assertEquals(stage.system.audit.stashed, 0L)

  onEveryModel("structs that are unhandled, or come too late, are dead letters with their fields"):
    val actor = stage.start(Behavior.receive[Told] {
      case Told.Token(1, _) => Behavior.unhandled
      case Told.Stop        => Behavior.stopped
      case _                => Behavior.same
    })
    from(actor): to =>
      to ! Told.Token(1, 7)
      to ! Told.Token(2, 8)
      to ! Told.Stop
      to ! Told.Token(3, 9)
      to ! Told.All(true, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8))
    stage.until("it has stopped")(actor.isStopped)
    stage.quiet()
    assertEquals(
      stage.lost,
      List(
        (Told.Token(1, 7), Reason.Unhandled),
        (Told.Token(3, 9), Reason.Stopped),
        (Told.All(true, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8)), Reason.Stopped)
      )
    )

  onEveryModel("a handler of structs that throws fails its actor; what waits is kept"):
    val actor = stage.start(
      Behavior
        .receive[Told] {
          case Told.Token(0, value) => throw Exception(s"token $value")
          case Told.Token(_, value) => note(s"$value"); Behavior.same
          case _                    => Behavior.unhandled
        }
        .supervised { case _ => Supervision.Restart() }
    )
    from(actor): to =>
      for n <- 1 to 9 do to ! Told.Token(n % 3, n)
    assertEquals(stage.noted, List("1", "2", "4", "5", "7", "8"))
    assertEquals(stage.decided.map(_._1), List("token 3", "token 6", "token 9"))
    assertEquals(stage.system.audit.failed, 3L)

  onEveryModel("a behaviour that is a function of objects handles structs that wait"):
    def objects: Behavior[Told] =
      val handle: Told => Behavior[Told] = told =>
        note(s"$told"); Behavior.same
      Behavior.receive(handle)
    val actor = stage.start(Behavior.receive[Told] {
      case Told.Start => objects
      case _          => Behavior.unhandled
    })
    from(actor): to =>
      to ! Told.Start
      to ! Told.Token(1, 2)
      to ! Told.Stop
    assertEquals(stage.noted, List("Token(1,2)", "Stop"))

  onEveryModel("a message that is bound as a whole is an object where it is used as one"):
    val last = stage.start(Behavior.receive[Told] {
      case whole @ Told.Token(id, _) => note(s"$id in $whole"); Behavior.same
      case whole: Told.All           => note(s"${whole.at}"); Behavior.same
      case other                     => note(s"$other, ${other.ordinal}"); Behavior.same
    })
    val between = stage.start(Behavior.receive[Told] {
      case Told.Start => last ! Told.Stop; Behavior.same
      case any        => last ! any; Behavior.same
    })
    from(between): to =>
      to ! Told.Token(5, 6)
      to ! Told.All(false, 1, 2, 'c', 3, 4, 5f, 6, Color.Red, Point(7, 8))
      to ! Told.Start
    assertEquals(stage.noted, List("5 in Token(5,6)", "Point(7,8.0)", "Stop, 0"))

  test("a mailbox's limit holds for structs"):
    Stage.play(Run.Workers, workers = 1):
      val actor = stage.start(
        Behavior.receive[Told] { _ => Behavior.same },
        "small",
        Mailbox(3)
      )
      val taker = stage.start(
        Behavior.receive[Told] {
          case Told.Token(_, _) => note("one"); Behavior.same
          case _                => Behavior.same
        },
        "tiny",
        Mailbox(3)
      )
      for target <- List(actor, taker) do
        from(target): to =>
          try for n <- 1 to 5 do to ! Told.Token(1, n)
          catch case e: MailboxFullException => note(e.getMessage)
      assertEquals(
        stage.noted.sorted,
        List.fill(3)("one") ++
          List("small", "tiny").map(name => s"the mailbox of $name is full: 3 messages wait")
      )

  test("structs cross from worker to worker with the actors they wait for, and none is lost"):
    Stage.play(Run.Workers, workers = 2):
      val count = 64
      val rounds = 2000
      val sum = java.util.concurrent.atomic.AtomicLong()
      lazy val nodes: Vector[ActorRef[Told]] = Vector.tabulate(count): i =>
        stage.start(Behavior.receive[Told] {
          case Told.Token(id, left) =>
            sum.addAndGet(id): Unit
            // Work that is worth another worker's help.
            for _ <- 0 until (left * 31 + i) % 97 do Thread.onSpinWait()
            if left > 0 then nodes((i * 7 + left) % count) ! Told.Token(id, left - 1)
            Behavior.same
          case _ => Behavior.unhandled
        })
      for i <- 0 until count do nodes(i) ! Told.Token(i, rounds)
      stage.quiet()
      assertEquals(sum.get, (rounds + 1L) * count * (count - 1) / 2)
      assertEquals(stage.system.audit.handled, (rounds + 1L) * count)

  test("slots wander from one worker's to another's and are all given back"):
    SlotMemory.open()
    val memory = SlotMemory("test")
    val (here, there) = (Slots(memory), Slots(memory))
    val seen = scala.collection.mutable.HashSet[Long]()
    for _ <- 1 to 100 do
      val taken = List.fill(1000)(here.take(1))
      assert(taken.forall(_ != 0))
      assertEquals(taken.distinct.size, 1000)
      seen ++= taken
      taken.foreach(there.give(_, 1))
    assert(seen.size <= 8 * Slots.Batch, s"${seen.size} slots for a thousand at a time")
    memory.give(there.take(1), 1)
    memory.close()
    assertEquals(memory.take(1), 0L)
end SlotTest
