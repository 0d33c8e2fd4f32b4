package undercroft.actor

import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration.*

/** More misuse than in [[BadUseTest]]: nulls, calls outside message handlers, and asks without a
  * reply. The outcome is the same on every run model.
  */
class ErrorMessageTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** Returns the error that an actor's own code throws in its setup. */
  private def inSetup(body: ActorContext[String] ?=> Unit)(using Stage): String =
    val thrown = Promise[String]()
    val _ = stage.start(
      Behavior.setup[String]:
        thrown.success:
          try
            body
            "nothing"
          catch case e: Exception => s"${e.getClass.getSimpleName}: ${e.getMessage}"
        Behavior.ignore
      ,
      "one"
    )
    stage.result(thrown.future).get

  onEveryModel("a handler that returns null fails its actor"):
    val actor = stage.start(
      Behavior.receive[Int](_ => null.asInstanceOf[Behavior[Int]]),
      "empty"
    )
    actor ! 1
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.decided.map(_._1), List("a handler of empty returned null"))

  onEveryModel("a setup that ends in null or Behavior.same fails"):
    for (behavior, label) <- List(
        null.asInstanceOf[Behavior[Int]] -> "null",
        Behavior.same[Int] -> "Behavior.same"
      )
    do
      stage.start(Behavior.setup[Int](behavior), label): Unit
      stage.quiet()
      assertEquals(
        stage.decided.last._1,
        s"the setup of $label ended in $label, which is not a behavior"
      )

  onEveryModel("spawn throws for a behavior or a name that is null"):
    val behavior = intercept[NullPointerException](stage.start(null.asInstanceOf[Behavior[Int]]))
    assertEquals(behavior.getMessage, s"the behavior of an actor of ${stage.system} is null")
    val name = intercept[NullPointerException](
      stage.start(Behavior.ignore[Int], null.asInstanceOf[String])
    )
    assertEquals(name.getMessage, s"the name of an actor of ${stage.system} is null")

  onEveryModel("timers, receive timeouts and watchWith throw for a message that is null"):
    val nothing = null.asInstanceOf[String]
    for (use, words) <- List[(ActorContext[String] ?=> Unit, String)](
        (context.startSingleTimer("t", nothing, 1.hour), "the message of a timer of one is null"),
        (
          context.startTimerAtFixedRate("t", nothing, 1.hour),
          "the message of a timer of one is null"
        ),
        (
          context.setReceiveTimeout(1.hour, nothing),
          "the message of a receive timeout of one is null"
        ),
        (
          context.watchWith(spawn(Behavior.ignore[Int], "two"), nothing),
          "the message with which one watches two is null"
        )
      )
    do assertEquals(inSetup(use), s"NullPointerException: $words")

  onEveryModel("stash without a current message throws IllegalStateException"):
    val words = "IllegalStateException: one has no current message to stash"
    assertEquals(inSetup(context.stash()), words)
    val target = stage.start(Behavior.receive[Int](_ => Behavior.stopped), "target")
    val _ = stage.start(Behavior.setup[Int]:
      context.watch(target)
      Behavior
        .receive[Int] { n =>
          note(s"$n")
          Behavior.same
        }
        .onSignal { case Signal.Terminated(_, _) =>
          try context.stash()
          catch case e: IllegalStateException => note(e.getMessage.split(" has ").last)
          self[Int] ! 1
          Behavior.same
        })
    stage.quiet()
    target ! 1
    stage.until("it was told")(stage.noted.size == 2)
    assertEquals(stage.noted, List("no current message to stash", "1"))

  onEveryModel("unstashAll in a setup after a restart delivers stashed messages first"):
    val actor = stage.start(
      Behavior
        .setup[Int]:
          context.unstashAll()
          var isFirst = true
          Behavior.receive: n =>
            if n == 0 then throw Broken("0")
            if isFirst && stage.system.observe.audit.restarts == 0 then context.stash()
            else note(s"$n")
            isFirst = isFirst && n != 9
            Behavior.same
        .supervised { case _ => Supervision.Restart() }
    )
    for n <- List(1, 2, 0, 3) do actor ! n
    assertEquals(stage.noted, List("1", "2", "3"))

  onEveryModel("a pipeToSelf function that throws or returns null fails the actor"):
    def broken(make: scala.util.Try[Int] => String, name: String): ActorRef[String] = stage.start(
      Behavior.setup[String]:
        Behavior.receive: _ =>
          context.pipeToSelf(Future.successful(1))(make)
          Behavior.same
      ,
      name
    )
    val throwing = broken(_ => throw Broken("pipe"), "throwing")
    val nothing = broken(_ => null.asInstanceOf[String], "nothing")
    for actor <- List(throwing, nothing) do
      actor ! "go"
      stage.until(s"$actor has stopped")(actor.isStopped)
    assertEquals(
      stage.decided,
      List(
        ("pipe", Supervision.Stop),
        ("the function given to pipeToSelf of nothing returned null", Supervision.Stop)
      )
    )

  onEveryModel("the function of pipeToSelf runs in the actor's turn"):
    val actor = stage.start(
      Behavior.setup[String]:
        Behavior.receive:
          case "go" =>
            context.pipeToSelf(Future.successful(7))(result =>
              s"${context.children.size} ${result.get}"
            )
            Behavior.same
          case s =>
            note(s)
            Behavior.same
    )
    actor ! "go"
    stage.until("it came")(stage.noted == List("0 7"))

  onEveryModel("an ask without a matching handler throws AskDeadLetterException"):
    val actor = stage.start(Behavior.empty[Reply[Int]], "deaf")
    val e = intercept[AskDeadLetterException](actor.ask[Int](1.hour)(identity))
    assertEquals(e.getMessage, "deaf did not handle the ask: Unhandled")
    stage.quiet()
    assertEquals(stage.lost.map(_._2), List(DeadLetterReason.Unhandled))

  onEveryModel("an ask that a full mailbox drops throws AskDeadLetterException"):
    val (entry, go) = (Promise[Unit](), Promise[Unit]())
    val actor = spawn(
      Behavior.receive[Reply[Int] | Int] {
        case to: Reply[Int] @unchecked => to ! 1; Behavior.same
        case _ =>
          if !stage.isSimulated then
            entry.trySuccess(()): Unit
            Await.result(go.future, patience)
          Behavior.same
      },
      "full",
      if stage.run == Run.Caller then Run.Thread else stage.run, // Run.Caller would block the test
      Mailbox(1, Overflow.DropNewest)
    )(using stage.system)
    actor ! 1
    // Under simulation no actor has a turn before the test waits for something.
    if !stage.isSimulated then Await.result(entry.future, patience)
    // Steps of a simulation may run before a send of the test, and empty the mailbox: send again.
    def fill() = Thread.ofPlatform.start(() => actor ! 1).join()
    val e = intercept[AskDeadLetterException]:
      for _ <- 1 to (if stage.isSimulated then 100 else 2) do
        if stage.isSimulated then fill()
        actor.ask[Int](1.hour)(identity): Unit
    go.success(())
    assertEquals(e.getMessage, "full did not handle the ask: Full")

  onEveryModel("an ask whose message is null throws NullPointerException"):
    val actor = stage.start(Behavior.ignore[Reply[Int]], "asked")
    val nothing = null.asInstanceOf[Reply[Int]]
    val e = intercept[NullPointerException](actor.ask[Int](1.hour)(_ => nothing))
    assertEquals(e.getMessage, "the message of an ask of asked is null")
    val later = intercept[NullPointerException](actor.askAsync[Int](1.hour)(_ => nothing))
    assertEquals(later.getMessage, "the message of an ask of asked is null")

  onEveryModel(
    "after shutdown a message is a dead letter, and an ask throws at once"
  ):
    val actor = stage.start(Behavior.ignore[Any], "left")
    assertEquals(stage.system.shutdown(patience, patience), true)
    actor ! 7
    assertEquals(stage.lost, List((7, DeadLetterReason.Stopped)))
    intercept[AskTargetStoppedException](actor.ask[Int](1.hour)(identity)): Unit
    // A second shutdown has nothing to do.
    assertEquals(stage.system.shutdown(patience, patience), true)

  // ---- cycles of asks

  /** Asks the first actor to ask the others, one after another, and notes the result. */
  private final case class Go(path: List[ActorRef[Any]], to: Option[Reply[Int]])

  private def asker(name: String)(using Stage): ActorRef[Any] = stage.start(
    Behavior.receive[Any] {
      case Go(path, to) =>
        val answer =
          try
            val n = path.head.ask[Int](patience): reply =>
              if path.tail.isEmpty then reply else Go(path.tail, Some(reply))
            note(s"$name got $n")
            n
          catch
            case e: AskDeadlockException =>
              note(s"$name: ${e.getMessage}")
              -1
        to.foreach(_ ! answer)
        Behavior.same
      case to: Reply[Int] @unchecked =>
        to ! 7
        Behavior.same
    },
    name
  )

  private def onAsking(name: String)(body: Stage ?=> Unit): Unit =
    onModels(Run.Virtual, Run.Thread, Run.Caller)(name)(body) // workers reject an ask that waits

  onAsking("nested asks over three actors return the reply"):
    val (a, b, c) = (asker("a"), asker("b"), asker("c"))
    a ! Go(List(b, c), None)
    assertEquals(stage.noted, List("b got 7", "a got 7"))

  onAsking("a cycle of asks throws AskDeadlockException that names its actors"):
    val (a, b, c) = (asker("a"), asker("b"), asker("c"))
    a ! Go(List(b, c, a), None)
    assertEquals(
      stage.noted,
      List(
        "c: an ask of a would be a deadlock: c waits for a waits for b waits for c",
        "b got -1",
        "a got -1"
      )
    )

  onAsking("an ask of the actor itself throws AskDeadlockException"):
    val a = asker("a")
    a ! Go(List(a), None)
    assertEquals(
      stage.noted,
      List("a: an ask of a would be a deadlock: a waits for a")
    )
end ErrorMessageTest
