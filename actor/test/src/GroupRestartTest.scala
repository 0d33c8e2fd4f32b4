package undercroft.actor

import scala.concurrent.duration.*

/** Group restarts of children, and linked actors. */
class GroupRestartTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** A parent of three, which note their lifecycles; it forwards messages such as "child message".
    */
  private def family(decision: Supervision, isEachSupervised: Boolean = true)(using
      Stage
  ): ActorRef[String] = stage.start(
    Behavior.setup[String]:
      def child(name: String): Behavior[String] = Behavior.setup:
        note(s"$name begins")
        Behavior
          .receive[String] {
            case "fail" => throw Broken(name)
            case text   => note(s"$name $text"); Behavior.same
          }
          .onSignal { case Signal.PreRestart => note(s"$name ends"); Behavior.same }
      val children = List("a", "b", "c").map: name =>
        val behavior =
          if isEachSupervised || name == "b" then child(name).supervised { case _ => decision }
          else child(name)
        name -> spawn(behavior, name, stage.run)
      Behavior.receive: line =>
        val Array(name, message) = line.split(' '): @unchecked
        children.toMap.apply(name) ! message
        Behavior.same
    ,
    "parent"
  )

  private val beginnings = List("a begins", "b begins", "c begins")

  for isEach <- List(true, false) do
    val scope = if isEach then "all children are supervised" else "only one child is supervised"
    onEveryModel(s"RestartAll stops the youngest child first, starts the oldest first if $scope"):
      val parent = family(Supervision.RestartAll(), isEach)
      assertEquals(stage.noted.sorted, beginnings)
      parent ! "b fail"
      stage.quiet()
      stage.until("all began anew")(stage.noted.size == 9)
      assertEquals(
        stage.noted.drop(3),
        List("b ends", "c ends", "a ends", "a begins", "b begins", "c begins")
      )
      for line <- List("a x", "b y", "c z") do parent ! line
      assertEquals(stage.noted.drop(9).sorted, List("a x", "b y", "c z"))
      assertEquals(stage.system.observe.audit.restarts, 3L)

  onEveryModel("RestartRest does not restart children older than the failed one"):
    val parent = family(Supervision.RestartRest())
    assertEquals(stage.noted.sorted, beginnings)
    parent ! "b fail"
    stage.until("two began anew")(stage.noted.size == 7)
    assertEquals(stage.noted.drop(3), List("b ends", "c ends", "b begins", "c begins"))
    for line <- List("a x", "b y", "c z") do parent ! line
    assertEquals(stage.noted.drop(7).sorted, List("a x", "b y", "c z"))
    assertEquals(stage.system.observe.audit.restarts, 2L)

  onEveryModel("RestartAll counts restarts of all children; beyond the limit the parent fails"):
    val parent = family(Supervision.RestartAll(limit = 2, within = 1.hour))
    assertEquals(stage.noted.sorted, beginnings)
    for (name, i) <- List("a", "b").zipWithIndex do
      parent ! s"$name fail"
      stage.until(s"all began anew after $name")(stage.noted.size == 9 + 6 * i)
    parent ! "c fail"
    stage.until("the parent has stopped")(parent.isStopped)
    assertEquals(
      stage.decided.map(_._2),
      List(
        Supervision.RestartAll(2, 1.hour),
        Supervision.RestartAll(2, 1.hour),
        Supervision.Escalate,
        Supervision.Stop
      )
    )
    assertEquals(stage.decided.last._1, "c failed and escalated")

  onEveryModel("children that fail at once restart together without a lost message"):
    val rounds = 20
    val parent = family(Supervision.RestartAll(limit = Int.MaxValue, within = 1.hour))
    for _ <- 1 to rounds; name <- List("a", "b", "c") do
      parent ! s"$name fail"
      parent ! s"$name x"
    stage.until("all that was sent is handled"):
      val audit = stage.system.observe.audit
      audit.waiting == 0 && audit.failed == 3 * rounds
    stage.until("all have begun")(
      stage.noted.filter(_.endsWith("ends")).size + 3 == stage.noted.filter(
        _.endsWith("begins")
      ).size
    )
    for name <- List("a", "b", "c") do
      assertEquals(stage.noted.count(_ == s"$name x"), rounds, stage.noted.mkString("\n"))

  onEveryModel("a child that stops during a group restart does not delay its siblings"):
    val parent = stage.start(Behavior.setup[String]:
      val a = spawn(
        Behavior.setup[String]:
          note("a begins")
          Behavior.receive[String](_ => throw Broken("a"))
        .supervised { case _ => Supervision.RestartAll() },
        "a",
        stage.run
      )
      var starts = 0
      val b = spawn(
        Behavior.setup[String]:
          starts += 1
          note("b begins")
          if starts == 2 then Behavior.stopped else Behavior.ignore
        ,
        "b",
        stage.run
      )
      val _ = b
      val _ = spawn(
        Behavior.setup[String]:
          note("c begins")
          Behavior.ignore
        ,
        "c",
        stage.run
      )
      Behavior.receive: s =>
        a ! s
        Behavior.same)
    assertEquals(stage.noted.sorted, beginnings)
    parent ! "fail"
    stage.until("all began anew")(stage.noted.size == 6)
    assertEquals(stage.noted.drop(3), beginnings)

  onEveryModel("a parent that stops during a group restart stops all its children"):
    val parent = family(Supervision.RestartAll(limit = Int.MaxValue, within = 1.hour))
    val top = stage.start(Behavior.setup[String]:
      Behavior.receive: _ =>
        for _ <- 1 to 10 do parent ! "b fail"
        Behavior.stopped)
    top ! "go"
    // The end of the stage stops it at some moment of the restart, and checks the counts.
    stage.until("the first failure")(stage.decided.nonEmpty)

  // ---- links

  private def breakable(name: String)(using Stage): ActorRef[String] =
    stage.start(
      Behavior.setup[String]:
        Behavior
          .receive[String] {
            case "fail" => throw Broken(name)
            case "stop" => Behavior.stopped
            case text   => note(s"$name $text"); Behavior.same
          }
          .onSignal { case Signal.PostStop =>
            note(s"$name stopped"); Behavior.same
          }
      ,
      name
    )

  /** An actor that links itself to another one, and removes the link at "unlink". */
  private def linked(
      name: String,
      to: ActorRef[Nothing],
      decision: Decider = PartialFunction.empty
  )(
      using Stage
  ): ActorRef[String] =
    val actor = stage.start(
      Behavior
        .setup[String]:
          context.link(to)
          Behavior
            .receive[String] {
              case "fail"   => throw Broken(name)
              case "stop"   => Behavior.stopped
              case "unlink" => context.unlink(to); Behavior.same
              case text     => note(s"$name $text"); Behavior.same
            }
            .onSignal { case Signal.PostStop => note(s"$name stopped"); Behavior.same }
        .supervised(decision),
      name
    )
    stage.quiet()
    actor
  end linked

  onEveryModel("the failure of a linked actor fails the other one in both directions"):
    val first = breakable("first")
    val second = linked("second", first)
    val third = linked("third", second)
    second ! "fail"
    stage.until("all have stopped")(first.isStopped && second.isStopped && third.isStopped)
    assertEquals(
      stage.decided.map(_._1).sorted,
      List("second", "second, which was linked, failed", "second, which was linked, failed")
    )

  onEveryModel("a linked actor that stops without a failure does not fail the other one"):
    val first = breakable("first")
    val second = linked("second", first)
    first ! "stop"
    stage.until("it has stopped")(first.isStopped)
    second ! "lives"
    assertEquals(stage.noted, List("first stopped", "second lives"))

  onEveryModel("a removed link does not propagate a failure"):
    val first = breakable("first")
    val second = linked("second", first)
    second ! "unlink"
    stage.quiet()
    first ! "fail"
    stage.until("it has stopped")(first.isStopped)
    second ! "lives"
    assertEquals(stage.noted, List("first stopped", "second lives"))

  onEveryModel("linking to an actor that has failed fails the caller at once"):
    val first = breakable("first")
    first ! "fail"
    stage.until("it has stopped")(first.isStopped)
    val second = linked("second", first)
    stage.until("it has stopped")(second.isStopped)

  onEveryModel("supervision decides about a LinkedActorFailedException"):
    val first = breakable("first")
    val second = linked(
      "second",
      first,
      { case broken: LinkedActorFailedException =>
        note(broken.getCause.getMessage)
        Supervision.Resume
      }
    )
    first ! "fail"
    stage.until("it was told")(stage.noted.contains("first"))
    second ! "lives"
    assertEquals(stage.noted.last, "second lives")

  onEveryModel("link throws for the actor itself and for a Reply"):
    val done = scala.concurrent.Promise[List[String]]()
    val _ = stage.start(
      Behavior.setup[Int]:
        val reply = Reply[Int](stage.system, "x")
        done.success(List(self[Int], reply).map: ref =>
          try
            context.link(ref)
            "linked"
          catch case e: IllegalArgumentException => e.getMessage)
        Behavior.ignore
      ,
      "one"
    )
    assertEquals(
      stage.result(done.future).get,
      List("one cannot be linked to one", "one cannot be linked to the asker of x")
    )
end GroupRestartTest
