package outside.actor.opentelemetry

import io.opentelemetry.api.baggage.Baggage
import io.opentelemetry.api.trace.StatusCode
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorSpans

/** The spans of timers, receive timeouts and signals. */
class SignalSpansTest extends TelemetrySuite:

  for run <- List(Run.Workers, Run.Virtual, Run.Caller) do
    test(s"the message of a single timer is below the message that set it, on $run"):
      withSpans(): spans =>
        val fired = CountDownLatch(1)
        val log = spawn(Behavior.ignore[Int], "log", run)
        val till = spawn(
          Behavior.setup[String]:
            Behavior.receive:
              case "set" =>
                context.startSingleTimer("t", "ring", 5.millis)
                Behavior.same
              case _ =>
                log ! 1
                fired.countDown()
                Behavior.same
          ,
          "till",
          run
        )
        spans.within("request")(till ! "set")
        await(fired)
        quiet()
        assertEquals(
          spans.all.map(spans.ancestry).toSet,
          Set(
            List("request"),
            List("till String", "request"),
            List("till String", "till String", "request"),
            List("log Integer", "till String", "till String", "request")
          )
        )
  end for

  test("the wait of a timer's message begins when it is due"):
    withSpans(): spans =>
      val fired = CountDownLatch(1)
      val till = spawn(
        Behavior.setup[Int]:
          Behavior.receive: n =>
            if n == 0 then context.startSingleTimer("t", 1, 2.seconds) else fired.countDown()
            Behavior.same
        ,
        "till"
      )
      till ! 0
      await(fired)
      quiet()
      val wait = io.opentelemetry.api.common.AttributeKey.doubleKey("undercroft.message.wait")
      for span <- spans.named("till Integer") do
        assert(span.getAttributes.get(wait) < 2.0, s"$span")

  test("each message of a periodic timer begins a trace with a link, and keeps the baggage"):
    withSpans(): spans =>
      val fired = CountDownLatch(3)
      val baggage = ConcurrentLinkedQueue[String]()
      val till = spawn(
        Behavior.setup[String]:
          Behavior.receive:
            case "set" =>
              context.startTimerAtFixedRate("t", "ring", 2.millis)
              Behavior.same
            case _ =>
              baggage.add(String.valueOf(Baggage.current.getEntryValue("tenant")))
              fired.countDown()
              if fired.getCount == 0 then context.cancelTimer("t")
              Behavior.same
        ,
        "till"
      )
      val scope = Baggage.builder.put("tenant", "blue").build().makeCurrent()
      try spans.within("request")(till ! "set")
      finally scope.close()
      await(fired)
      quiet()
      val request = spans.one("request")
      val (set, rings) = spans.named("till String").partition(_.getTraceId == request.getTraceId)
      assertEquals(set.size, 1)
      assert(rings.size >= 3, s"$rings")
      assertEquals(rings.map(_.getTraceId).toSet.size, rings.size)
      assertEquals(rings.map(_.getParentSpanContext.isValid).toSet, Set(false))
      assertEquals(
        rings.flatMap(_.getLinks.asScala).map(_.getSpanContext.getSpanId).toSet,
        Set(set.head.getSpanId)
      )
      assertEquals(baggage.asScala.toSet, Set("blue"))

  test("a receive timeout has a span only when it has passed, with a link"):
    withSpans(): spans =>
      val passed = CountDownLatch(1)
      val till = spawn(
        Behavior.setup[String]:
          Behavior.receive:
            case "set" =>
              context.setReceiveTimeout(30.millis, "quiet")
              Behavior.same
            case "quiet" =>
              context.cancelReceiveTimeout()
              passed.countDown()
              Behavior.same
            case _ => Behavior.same
        ,
        "till"
      )
      spans.within("request"):
        till ! "set"
        for _ <- 1 to 5 do till ! "work"
      await(passed)
      quiet()
      val all = spans.named("till String")
      assertEquals(all.size, 7, s"$all")
      assertEquals(all.map(_.getLinks.size).sum, 1)
      assertEquals(all.flatMap(span => Spans.text(span, "undercroft.message.outcome")), Nil)

  test("a cancelled timer has no span; a stashed timer's message keeps its trace"):
    withSpans(): spans =>
      val unstashed = CountDownLatch(1)
      val till = spawn(
        Behavior.setup[String]:
          var isOpen = false
          Behavior.receive:
            case "set" =>
              context.startSingleTimer("cancelled", "never", 1.hour)
              context.startSingleTimer("t", "ring", 1.milli)
              context.cancelTimer("cancelled")
              Behavior.same
            case "open" =>
              isOpen = true
              context.unstashAll()
              Behavior.same
            case ring =>
              if isOpen then unstashed.countDown()
              else
                context.stash()
                context.self ! "open"
              Behavior.same
        ,
        "till"
      )
      spans.within("request")(till ! "set")
      await(unstashed)
      quiet()
      assertEquals(spans.all.map(_.getTraceId).toSet.size, 1)
      val outcomes = spans.all.flatMap(span => Spans.text(span, "undercroft.message.outcome"))
      assertEquals(outcomes, List("stashed"))
      assertEquals(spans.named("till String").size, 4)

  test("without roots, a timer that was set outside of a span has no span"):
    withSpans(roots = false): spans =>
      val fired = CountDownLatch(2)
      val till = spawn(
        Behavior.setup[String]:
          var timers = 0
          Behavior.receive:
            case "set" =>
              timers += 1
              context.startSingleTimer(timers, "ring", 1.milli)
              Behavior.same
            case _ =>
              fired.countDown()
              Behavior.same
        ,
        "till"
      )
      till ! "set"
      spans.within("request")(till ! "set")
      await(fired)
      quiet()
      val end = System.nanoTime + 1.minute.toNanos
      while spans.named("till String").size < 2 && System.nanoTime < end do
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000)
      assertEquals(spans.all.map(_.getTraceId).toSet.size, 1)

  test("PostStop, Terminated and what their handlers send are below the message that stopped"):
    withSpans(): spans =>
      val ended = CountDownLatch(2)
      val log = spawn(
        Behavior.receive[String]: _ =>
          ended.countDown()
          Behavior.same
        ,
        "log"
      )
      val worker = spawn(
        Behavior
          .receive[String](_ => Behavior.stopped)
          .onSignal { case Signal.PostStop =>
            log ! "stopped"
            Behavior.same
          },
        "worker"
      )
      val boss = spawn(
        Behavior.setup[Int]:
          context.watch(worker)
          Behavior
            .receive[Int](_ => Behavior.same)
            .onSignal { case Signal.Terminated(_, _) =>
              log ! "noticed"
              Behavior.same
            }
        ,
        "boss"
      )
      boss ! 1
      quiet()
      spans.within("request")(worker ! "end")
      await(ended)
      quiet()
      val request = spans.one("request")
      assertEquals(
        spans.all.filter(_.getTraceId == request.getTraceId).map(spans.ancestry).toSet,
        Set(
          List("request"),
          List("worker String", "request"),
          List("worker PostStop", "worker String", "request"),
          List("log String", "worker PostStop", "worker String", "request"),
          List("boss Terminated", "worker String", "request"),
          List("log String", "boss Terminated", "worker String", "request")
        )
      )

  test("children that stop with their parent are below the message that stopped it"):
    withSpans(): spans =>
      def noting(children: Int): Behavior[String] = Behavior.setup:
        for i <- 1 to children do spawn(noting(0), s"child-$i"): Unit
        Behavior
          .receive[String](_ => Behavior.stopped)
          .onSignal { case Signal.PostStop => Behavior.same }
      val parent = spawn(noting(2), "parent")
      quiet() // else the children may stop before their setup has run
      spans.within("request")(parent ! "end")
      quiet()
      for name <- List("parent", "parent/child-1", "parent/child-2") do
        assertEquals(
          spans.ancestry(spans.one(s"$name PostStop")),
          List(s"$name PostStop", "parent String", "request")
        )

  test("a child stopped by its parent's handler is below that message"):
    withSpans(): spans =>
      val parent = spawn(
        Behavior.setup[String]:
          val child = spawn(
            Behavior.ignore[Int].onSignal { case Signal.PostStop => Behavior.same },
            "child"
          )
          Behavior.receive: _ =>
            context.stop(child)
            Behavior.same
        ,
        "parent"
      )
      quiet()
      spans.within("request")(parent ! "stop it")
      quiet()
      assertEquals(
        spans.ancestry(spans.one("parent/child PostStop")),
        List("parent/child PostStop", "parent String", "request")
      )

  test("PreRestart is below the failed message; a failing signal handler has an error span"):
    withSpans(): spans =>
      val till = spawn(
        Behavior
          .receive[String](text => throw IllegalStateException(text))
          .onSignal { case Signal.PreRestart => throw IllegalArgumentException("not ready") }
          .supervised { case _: IllegalStateException => Supervision.Restart() },
        "till"
      )
      spans.within("request")(till ! "bad")
      quiet()
      val restart = spans.one("till PreRestart")
      assertEquals(spans.ancestry(restart), List("till PreRestart", "till String", "request"))
      assertEquals(restart.getStatus.getStatusCode, StatusCode.ERROR)
      assertEquals(Spans.text(restart, "error.type"), Some("java.lang.IllegalArgumentException"))

  test("a failed message that is passed to the parent, and an escalated failure, keep the trace"):
    withSpans(): spans =>
      val parent = spawn(
        Behavior.setup[String]:
          val child = spawn(
            Behavior
              .receive[String](text => throw IllegalStateException(text))
              .onMessageFailure { case _ => MessageFailure.ToParent }
              .supervised { case _ => Supervision.Resume },
            "child"
          )
          val fatal = spawn(
            Behavior
              .receive[String](text => throw IllegalStateException(text))
              .supervised { case _ => Supervision.Escalate },
            "fatal"
          )
          Behavior
            .receive[String]: text =>
              (if text == "escalate" then fatal else child) ! text
              Behavior.same
            .onSignal { case Signal.MessageFailed(_, _, _) | Signal.PostStop => Behavior.same }
        ,
        "parent"
      )
      spans.within("first")(parent ! "pass")
      quiet()
      assertEquals(
        spans.ancestry(spans.one("parent MessageFailed")),
        List("parent MessageFailed", "parent/child String", "parent String", "first")
      )
      spans.within("second")(parent ! "escalate")
      quiet()
      assertEquals(
        spans.ancestry(spans.one("parent PostStop")),
        List("parent PostStop", "parent/fatal String", "parent String", "second")
      )

  test("a signal without a handler has no span, and a death pact is below its cause"):
    withSpans(): spans =>
      val worker = spawn(Behavior.receive[String](_ => Behavior.stopped), "worker")
      val boss = spawn(
        Behavior.setup[Int]:
          context.watch(worker)
          Behavior.ignore[Int].onSignal { case Signal.PostStop => Behavior.same }
        ,
        "boss"
      )
      boss ! 1
      quiet()
      spans.within("request")(worker ! "end")
      quiet()
      assert(boss.isStopped)
      assertEquals(spans.named("worker PostStop"), Nil)
      assertEquals(spans.named("boss Terminated"), Nil)
      assertEquals(
        spans.ancestry(spans.one("boss PostStop")),
        List("boss PostStop", "worker String", "request")
      )

  test("a resumed failure is not the cause of a later stop"):
    withSpans(): spans =>
      val till = spawn(
        Behavior
          .receive[String]: text =>
            if text == "bad" then throw IllegalStateException(text)
            Behavior.stopped
          .onSignal { case Signal.PostStop => Behavior.same }
          .supervised { case _ => Supervision.Resume },
        "till"
      )
      spans.within("first")(till ! "bad")
      quiet()
      spans.within("second")(till ! "end")
      quiet()
      assertEquals(
        spans.ancestry(spans.one("till PostStop")),
        List("till PostStop", "till String", "second")
      )

  test("watchWith sends its message below the message that stopped the watched actor"):
    withSpans(): spans =>
      val worker = spawn(Behavior.receive[String](_ => Behavior.stopped), "worker")
      val boss = spawn(
        Behavior.setup[String]:
          context.watchWith(worker, "it has ended")
          Behavior.receive(_ => Behavior.same)
        ,
        "boss"
      )
      boss ! "first"
      quiet()
      spans.within("request")(worker ! "end")
      quiet()
      val below = spans.named("boss String").map(spans.ancestry).toSet
      assertEquals(
        below,
        Set(List("boss String"), List("boss String", "worker String", "request"))
      )

  test("the end of a process is noticed below its last message"):
    withSpans(): spans =>
      val worker = spawn(Behavior.process[String](inbox => inbox.receive(): Unit), "worker")
      val boss = spawn(
        Behavior.setup[Int]:
          context.watch(worker)
          Behavior.ignore[Int].onSignal { case Signal.Terminated(_, _) => Behavior.same }
        ,
        "boss"
      )
      boss ! 1
      quiet()
      spans.within("request")(worker ! "end")
      quiet()
      assertEquals(
        spans.ancestry(spans.one("boss Terminated")),
        List("boss Terminated", "worker String", "request")
      )

  test("actors of a shut down system begin traces with their last signal, unless roots are off"):
    for roots <- List(true, false) do
      val spans = Spans()
      val system = ActorSystem("shop", 2, _ => ())
      ActorSpans.register(system, spans.openTelemetry, roots)
      val till = spawn(
        Behavior.ignore[Int].onSignal { case Signal.PostStop => Behavior.same },
        "till"
      )(using system)
      spans.within("request")(till ! 1)
      quiet()(using system)
      assert(system.shutdown())
      assertEquals(
        spans.named("till PostStop").map(spans.ancestry),
        Option.when(roots)(List("till PostStop")).toList
      )
      spans.close()
end SignalSpansTest
