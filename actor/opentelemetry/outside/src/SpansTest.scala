package outside.actor.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.trace.{Span, StatusCode}
import io.opentelemetry.context.Context
import io.opentelemetry.sdk.trace.{ReadWriteSpan, ReadableSpan, SpanProcessor}
import io.opentelemetry.sdk.trace.samplers.Sampler
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorSpans
import undercroft.actor.persistence.{Effect, Journal, Persistent}
import undercroft.struct.Struct

/** The spans of messages, as an exporter of the SDK gets them. */
class SpansTest extends TelemetrySuite:
  import SpansTest.*

  for run <- List(Run.Workers, Run.Virtual, Run.Thread) do
    test(s"a request through three actors with asks is one trace, on $run"):
      withSpans(): spans =>
        val log = spawn(Behavior.ignore[Line], "log", run)
        val stock = spawn(
          Behavior.receive[Price] { case Price(item, to) =>
            log ! Line(item)
            to ! item.length
            Behavior.same
          },
          "stock",
          run
        )
        val desk = spawn(
          Behavior.setup[Desk](Behavior.receive {
            case Desk.Order(item, to) =>
              val price = stock.askAsync[Int](1.minute)(Price(item, _))
              context.pipeToSelf(price)(price => Desk.Priced(price.get, to))
              Behavior.same
            case Desk.Priced(price, to) =>
              to ! price
              Behavior.same
          }),
          "desk",
          run
        )
        val price = spans.within("request")(desk.ask[Int](1.minute)(Desk.Order("chair", _)))
        assertEquals(price, 5)
        quiet()
        assertEquals(
          spans.all.map(spans.ancestry).toSet,
          Set(
            List("request"),
            List("desk Order", "request"),
            List("stock Price", "desk Order", "request"),
            List("log Line", "stock Price", "desk Order", "request"),
            List("desk Success", "desk Order", "request")
          )
        )
        assertEquals(spans.all.map(_.getTraceId).toSet.size, 1)
        val order = spans.one("desk Order")
        assertEquals(Spans.text(order, "undercroft.actor.system"), Some("shop"))
        assertEquals(Spans.text(order, "undercroft.actor.name"), Some("desk"))
        assertEquals(Spans.text(order, "undercroft.message.type"), Some("Order"))
        assertEquals(order.getStatus.getStatusCode, StatusCode.UNSET)
  end for

  test("an actor that waits for the reply to its ask keeps the span of its message"):
    withSpans(): spans =>
      val stock = spawn(
        Behavior.receive[Price] { case Price(item, to) =>
          to ! item.length
          Behavior.same
        },
        "stock"
      )
      val after = ConcurrentLinkedQueue[String]()
      val desk = spawn(
        Behavior.receive[String] { item =>
          val before = Span.current.getSpanContext.getSpanId
          stock.ask[Int](1.minute)(Price(item, _)): Unit
          after.add(Span.current.getSpanContext.getSpanId)
          after.add(before)
          Behavior.same
        },
        "desk",
        Run.Virtual
      )
      spans.within("request")(desk ! "chair")
      quiet()
      val span = spans.one("desk String")
      assertEquals(after.asScala.toSet, Set(span.getSpanId))
      assertEquals(
        spans.ancestry(spans.one("stock Price")),
        List("stock Price", "desk String", "request")
      )

  test("a failing handler has an error span with the exception, for each retry"):
    withSpans(): spans =>
      val till = spawn(
        Behavior
          .receive[String] { text =>
            if text == "bad" then throw IllegalStateException("no change")
            Behavior.same
          }
          .onMessageFailure { case _ => MessageFailure.Retry(times = 2) }
          .supervised { case _ => Supervision.Resume },
        "till"
      )
      spans.within("request"):
        till ! "bad"
        till ! "good"
      quiet()
      val (failed, handled) =
        spans.named("till String").partition(_.getStatus.getStatusCode == StatusCode.ERROR)
      assertEquals((failed.size, handled.size), (3, 1))
      for span <- failed do
        assertEquals(spans.ancestry(span), List("till String", "request"))
        assertEquals(span.getStatus.getDescription, "no change")
        assertEquals(Spans.text(span, "error.type"), Some("java.lang.IllegalStateException"))
        assertEquals(span.getEvents.asScala.toList.map(_.getName), List("exception"))

  test("a handler whose exception has no readable message has an error span with its class"):
    withSpans(): spans =>
      val till = spawn(
        Behavior
          .receive[Int](_ => throw SpansTest.Unreadable())
          .supervised { case _ => Supervision.Resume },
        "till"
      )
      till ! 1
      quiet()
      val span = spans.one("till Integer")
      assertEquals(span.getStatus.getStatusCode, StatusCode.ERROR)
      assertEquals(Spans.text(span, "error.type"), Some(classOf[SpansTest.Unreadable].getName))

  test("messages that are not handled end as error spans with the reason"):
    withSpans(): spans =>
      val (begun, end) = (CountDownLatch(1), CountDownLatch(1))
      val full = spawn(
        Behavior.receive[Int] { _ =>
          begun.countDown()
          end.await()
          Behavior.same
        },
        "full",
        Run.Thread,
        Mailbox(1, Overflow.DropNewest)
      )
      val empty = spawn(Behavior.empty[Int], "empty")
      val mortal = spawn(Behavior.receive[Int](_ => Behavior.stopped), "mortal")
      spans.within("request"):
        full ! 1
        await(begun)
        full ! 2
        empty ! 3
        mortal ! 4
        mortal ! 5
      end.countDown()
      quiet()
      def described(name: String) = spans.named(name).map: span =>
        assertEquals(spans.ancestry(span), List(name, "request"))
        (span.getStatus.getStatusCode, span.getStatus.getDescription)
      val handled = (StatusCode.UNSET, "")
      def dead(reason: String) = (StatusCode.ERROR, s"dead letter: $reason")
      assertEquals(described("full Integer").toSet, Set(handled, dead("full")))
      assertEquals(described("empty Integer"), List(dead("unhandled")))
      assertEquals(described("mortal Integer"), List(handled, dead("stopped")))

  test("a stashed message has a span for each time that it is handled, below its send"):
    withSpans(): spans =>
      val door = spawn(
        Behavior.setup[String] {
          var isOpen = false
          Behavior.receive: text =>
            if text == "open" then
              isOpen = true
              context.unstashAll()
            else if !isOpen then context.stash()
            Behavior.same
        },
        "door"
      )
      spans.within("guest")(door ! "knock")
      spans.within("host")(door ! "open")
      quiet()
      val knocks = spans.named("door String").filter(spans.ancestry(_).last == "guest")
      assertEquals(
        knocks.map(Spans.text(_, "undercroft.message.outcome")),
        List(Some("stashed"), None)
      )

  test("a process has the span of its message until it takes the next one"):
    withSpans(): spans =>
      val log = spawn(Behavior.ignore[Line], "log")
      val teller = spawn(
        Behavior.process[String | Int] { inbox =>
          val number = inbox.receiveFirst { case n: Int => n }
          log ! Line(s"$number")
          val text = inbox.receiveFirst { case text: String => text }
          log ! Line(text)
          throw IllegalStateException(text)
        },
        "teller"
      )
      spans.within("first")(teller ! "closed")
      spans.within("second")(teller ! 7)
      quiet()
      assertEquals(
        spans.named("log Line").map(spans.ancestry).toSet,
        Set(
          List("log Line", "teller Integer", "second"),
          List("log Line", "teller String", "first")
        )
      )
      assertEquals(spans.one("teller String").getStatus.getDescription, "closed")
      assertEquals(spans.one("teller Integer").getStatus.getStatusCode, StatusCode.UNSET)

  test("the actions of a persistent actor are in the trace of its command"):
    withSpans(): spans =>
      val journal = Journal.inMemory[Added, Total](latency = 1.milli)
      val log = spawn(Behavior.ignore[Line], "log")
      val account = spawn(
        Persistent(journal, 7, Total(0))(
          command = (_, add: Add) =>
            Effect.persist(Added(add.amount))
              .thenRun(total => log ! Line(s"${total.sum}"))
              .thenReply(add.to)(_.sum),
          event = (total, added) => Total(total.sum + added.amount)
        ),
        "account"
      )
      for (name, sum) <- List("first" -> 5L, "second" -> 10L) do
        val reply = spans.within(name)(account.ask[Long](1.minute)(Add(5, _)))
        assertEquals(reply, sum)
      quiet()
      assertEquals(
        spans.named("log Line").map(spans.ancestry),
        for name <- List("first", "second")
        yield List("log Line", "account Appended", "account Add", name)
      )

  test("priority messages, adapters and actors on the caller's thread keep the trace"):
    withSpans(): spans =>
      val log = spawn(Behavior.ignore[Line], "log", Run.Caller)
      val till = spawn(
        Behavior.setup[Line] {
          val numbers = context.messageAdapter[Int](n => Line(s"$n"))
          Behavior.receive: line =>
            if line.text == "start" then numbers ! 1 else log ! line
            Behavior.same
        },
        "till"
      )
      spans.within("request")(till.tellPriority(Line("start")))
      quiet()
      assertEquals(
        spans.ancestry(spans.one("log Line")),
        List("log Line", "till Integer", "till Line", "request")
      )

  test("messages that are structs are traced like others"):
    withSpans(): spans =>
      val nodes = Vector.newBuilder[ActorRef[Hop]]
      var next = Option.empty[ActorRef[Hop]]
      for i <- 3 to 1 by -1 do
        val successor = next
        next = Some(
          spawn(
            Behavior.receive[Hop] { case Hop(n) =>
              successor.foreach(_ ! Hop(n + 1))
              Behavior.same
            },
            s"node-$i"
          )
        )
        nodes += next.get
      spans.within("request")(nodes.result().last ! Hop(1))
      quiet()
      assertEquals(
        spans.ancestry(spans.one("node-3 Hop")),
        List("node-3 Hop", "node-2 Hop", "node-1 Hop", "request")
      )

  test("a message from outside of any span begins a trace, unless roots are off"):
    for roots <- List(true, false) do
      withSpans(roots = roots): spans =>
        val log = spawn(Behavior.ignore[Line], "log")
        val desk = spawn(
          Behavior.receive[String] { text =>
            log ! Line(text)
            Behavior.same
          },
          "desk"
        )
        for text <- List("a", "b") do desk ! text
        quiet()
        val traces = spans.all.groupBy(_.getTraceId).values.map(_.map(_.getName).toSet)
        val expected = if roots then List.fill(2)(Set("desk String", "log Line")) else Nil
        assertEquals(traces.toList, expected)
        spans.within("request")(desk ! "c")
        quiet()
        assertEquals(
          spans.all.map(spans.ancestry).filter(_.last == "request").toSet,
          Set(
            List("request"),
            List("desk String", "request"),
            List("log Line", "desk String", "request")
          )
        )

  test("a trace that the sampler rejects has no spans, and its context still reaches all actors"):
    withSpans(Sampler.alwaysOff): spans =>
      val seen = ConcurrentLinkedQueue[String]()
      def noting: Behavior[Line] = Behavior.receive: _ =>
        seen.add(Span.current.getSpanContext.getTraceId)
        Behavior.same
      val log = spawn(noting, "log")
      val desk = spawn(
        Behavior.receive[Line] { line =>
          seen.add(Span.current.getSpanContext.getTraceId)
          log ! line
          Behavior.same
        },
        "desk"
      )
      val trace = spans.within("request"):
        desk ! Line("a")
        Span.current.getSpanContext.getTraceId
      quiet()
      assertEquals(seen.asScala.toList, List(trace, trace))
      assertEquals(spans.all, Nil)

  test("actors spawned before the registration, and after its end, are not traced"):
    val spans = Spans()
    val system = ActorSystem("shop", 1, _ => ())
    given ActorSystem = system
    val early = spawn(Behavior.ignore[Int], "early")
    val registration = ActorSpans.register(system, spans.openTelemetry)
    val traced = spawn(Behavior.ignore[Int], "traced")
    for actor <- List(early, traced) do actor ! 1
    quiet()
    assertEquals(spans.all.map(_.getName), List("traced Integer"))
    registration.close()
    registration.close()
    val late = spawn(Behavior.ignore[Int], "late")
    for actor <- List(early, traced, late) do actor ! 2
    quiet()
    assertEquals(spans.all.size, 1)
    assert(system.observe.audit.isExact && system.observe.audit.handled == 5)
    val again = ActorSpans.register(system, spans.openTelemetry)
    traced ! 3
    quiet()
    assertEquals(spans.all.size, 2)
    assert(system.shutdown())
    again.close()

  test("a second registration, and one of a stopped system, are rejected"):
    val system = ActorSystem("shop", 1, _ => ())
    val first = ActorSpans.register(system, OpenTelemetry.noop)
    assertEquals(
      intercept[IllegalStateException](
        ActorSpans.register(system, OpenTelemetry.noop)
      ).getMessage,
      "shop is traced already: close the registration first"
    )
    first.close()
    ActorSpans.register(system, OpenTelemetry.noop).close()
    assert(system.shutdown())
    assertEquals(
      intercept[IllegalStateException](
        ActorSpans.register(system, OpenTelemetry.noop)
      ).getMessage,
      "shop has stopped"
    )

  test("a span processor that throws changes nothing for the actors"):
    withSpans(processors = List(Failing)): spans =>
      val seen = ConcurrentLinkedQueue[Int]()
      val till = spawn(
        Behavior
          .receive[Int] { n =>
            seen.add(n)
            if n == 5 then throw IllegalStateException("5")
            Behavior.same
          }
          .supervised { case _ => Supervision.Resume },
        "till"
      )
      for n <- 1 to 10 do till ! n
      quiet()
      assertEquals(seen.asScala.toList, (1 to 10).toList)

  test("a handler that leaves a scope open does not pass it to the next message"):
    withSpans(): spans =>
      val till = spawn(
        Behavior.receive[Int] { n =>
          if n == 1 then spans.tracer.spanBuilder("leaked").startSpan().makeCurrent(): Unit
          Behavior.same
        },
        "till"
      )
      val log = spawn(
        Behavior.receive[Int] { _ =>
          till ! 2
          Behavior.same
        },
        "log"
      )
      spans.within("request")(till ! 1)
      quiet()
      spans.within("other")(log ! 1)
      quiet()
      assertEquals(
        spans.named("till Integer").map(spans.ancestry).toSet,
        Set(List("till Integer", "request"), List("till Integer", "log Integer", "other"))
      )
end SpansTest

object SpansTest:
  final case class Line(text: String)
  final case class Price(item: String, to: Reply[Int])
  final case class Hop(n: Int) derives Struct
  final case class Added(amount: Long) derives Struct
  final case class Total(sum: Long) derives Struct
  final case class Add(amount: Long, to: ActorRef[Long])

  enum Desk:
    case Order(item: String, to: Reply[Int])
    case Priced(price: Int, to: Reply[Int])

  final class Unreadable extends RuntimeException:
    override def getMessage: String =
      throw IllegalStateException("a test: this stack trace is expected")

  object Failing extends SpanProcessor:
    def onStart(parent: Context, span: ReadWriteSpan): Unit =
      throw IllegalStateException("a test: this stack trace is expected")
    def isStartRequired: Boolean = true
    def onEnd(span: ReadableSpan): Unit =
      throw IllegalStateException("a test: this stack trace is expected")
    def isEndRequired: Boolean = true
end SpansTest
