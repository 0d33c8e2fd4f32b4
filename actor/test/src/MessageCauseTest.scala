package undercroft.actor

import scala.concurrent.duration.*
import undercroft.tools.ForkedJvm

/** Message causes, which are recorded only if the JVM is started with that option: in a separate
  * JVM.
  */
class MessageCauseTest extends undercroft.tools.Suite:

  test("ActorSystem.explain without recorded causes throws and names the option"):
    val system = ActorSystem("plain", 1)
    try
      val actor = spawn(Behavior.ignore[Int])(using system)
      val e = intercept[IllegalStateException](system.explain(actor))
      assertEquals(
        e.getMessage,
        "plain records no causes: start the JVM with -Dundercroft.actor.causes=on"
      )
    finally system.close()

  test("ActorSystem.explain reports the causes of messages from every kind of sender"):
    val jvm = ForkedJvm.run(
      "undercroft.actor.withCauses",
      ForkedJvm.Granted :+ "-Dundercroft.actor.causes=on"
    )
    assertEquals(jvm.exit, 0, jvm.output)
    assertEquals(
      jvm.output.linesIterator.toList,
      List(
        "c: 12, from b <- b: 11, from a <- a: 10, from thread main",
        "a: again, from thread main",
        "shy: tick of the timer k, from shy <- shy: start, from thread main",
        "shy: start, from thread main",
        "watcher: Terminated(mortal), from watcher",
        "watcher: begin, from thread main",
        "asked: Question, from asker <- asker: ask, from thread main",
        "struct: Token(1,2), from thread main",
        "ordered: 9 without a level, from thread main",
        "ordered: 1 with a level, from thread main",
        "long: 100, from long <- long: 99, from long",
        "32 of 40 remembered",
        "process: urgent, from thread main",
        "process: usual, from thread main",
        "stranger is not an actor of caused",
        "exact: true"
      )
    )
end MessageCauseTest

/** A system of actors that send, ask, watch, wait and stash, in a JVM that records causes. */
@main def withCauses(): Unit =
  val system = ActorSystem("caused", 2, _ => ())
  given ActorSystem = system

  def settled(): Unit =
    if !system.awaitQuiescence(1.minute) then println(s"not quiet: ${system.audit}")
  def show(ref: ActorRef[Nothing], last: Int = 8): Unit =
    for cause <- system.explain(ref, last) do println(cause.show)

  val c = spawn(Behavior.ignore[Int], "c", Run.Virtual)
  val b = spawn(
    Behavior.receive[Int] { n =>
      c ! n + 1; Behavior.same
    },
    "b"
  )
  val a = spawn(
    Behavior.receive[Int | String] {
      case n: Int => b ! n + 1; Behavior.same
      case _      => Behavior.same
    },
    "a"
  )
  a ! 10
  settled()
  show(c)
  a.tellPriority("again")
  settled()
  show(a, 1)

  val shy = spawn(
    Behavior.setup[String]:
      Behavior.receive: s =>
        if s == "start" then context.startSingleTimer("k", "tick", 1.milli)
        Behavior.same
    ,
    "shy"
  )
  shy ! "start"
  val until = System.nanoTime + 1.minute.toNanos
  while system.explain(shy).size < 2 && System.nanoTime < until do Thread.onSpinWait()
  show(shy)

  val mortal = spawn(Behavior.receive[Int](_ => Behavior.stopped), "mortal")
  val watcher = spawn(
    Behavior.setup[String]:
      Behavior
        .receive[String] { _ =>
          context.watch(mortal)
          Behavior.same
        }
        .onSignal { case Signal.Terminated(_, _) => Behavior.same }
    ,
    "watcher"
  )
  watcher ! "begin"
  settled()
  mortal ! 1
  while system.explain(watcher).size < 2 && System.nanoTime < until do Thread.onSpinWait()
  show(watcher)

  final class Question(val to: Reply[Int]):
    override def toString: String = "Question"
  val answerer = spawn(
    Behavior.receive[Question] { question =>
      question.to ! 1; Behavior.same
    },
    "asked"
  )
  val asker = spawn(
    Behavior.receive[String] { _ =>
      answerer.ask[Int](1.minute)(Question(_)): Unit
      Behavior.same
    },
    "asker",
    Run.Thread
  )
  asker ! "ask"
  settled()
  show(answerer)

  val struct = spawn(
    Behavior.receive[EventLog] {
      case EventLog.Token(_, _) => Behavior.same
      case _                    => Behavior.unhandled
    },
    "struct",
    mailbox = Mailbox(4, Overflow.DropOldest)
  )
  struct ! EventLog.Token(1, 2)
  settled()
  show(struct)

  val ordered = spawn(
    Behavior.ignore[String].supervised { case _ => Supervision.Resume },
    "ordered",
    mailbox = Mailbox.prioritized(levels = 2)((text: String) => text.head - '0')
  )
  for text <- List("1 with a level", "9 without a level") do
    ordered ! text
    settled()
  show(ordered)

  val long = spawn(
    Behavior.setup[Int]:
      Behavior.receive: n =>
        if n < 100 then self ! n + 1
        Behavior.same
    ,
    "long"
  )
  long ! 61
  settled()
  println(system.explain(long, 1).head.show.split(" <- ").take(2).mkString(" <- "))
  println(s"${system.explain(long, 40).size} of 40 remembered")

  val process = spawn(
    Behavior.process[String]: inbox =>
      while inbox.receive() != "end" do (),
    "process"
  )
  process ! "usual"
  settled()
  process.tellPriority("urgent")
  settled()
  show(process)
  process.tellPriority("end")
  settled()

  val otherSystem = ActorSystem("other", 1)
  try system.explain(spawn(Behavior.ignore[Int], "stranger")(using otherSystem)): Unit
  catch case e: IllegalArgumentException => println(e.getMessage)
  otherSystem.close()
  system.close()
  println(s"exact: ${system.audit.isExact}")
end withCauses
