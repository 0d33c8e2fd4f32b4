package outside.actor.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.LongAdder
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.{ActorMetrics, ActorSpans}
import undercroft.tools.ForkedJvm

/** The metrics of a system, as a reader of the SDK collects them. */
class MetricsTest extends TelemetrySuite:

  test("messages, failures, restarts, dead letters and stashes are reported by path"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry)
      val till = spawn(
        Behavior
          .receive[Int] { n =>
            if n == 0 then throw IllegalStateException("0")
            if n < 0 then Behavior.unhandled else Behavior.same
          }
          .supervised {
            case e: IllegalStateException if e.getMessage == "0" => Supervision.Restart()
          },
        "till"
      )
      val door = spawn(
        Behavior.setup[Int](Behavior.receive { _ =>
          context.stash(); Behavior.same
        }),
        "door"
      )
      for n <- List(1, 2, 0, 3, -1, -2) do till ! n
      for n <- 1 to 3 do door ! n
      quiet()
      reader.collect()
      assertEquals(reader.value("message.handled", "shop/till"), 3L)
      assertEquals(reader.value("message.failed", "shop/till"), 1L)
      assertEquals(reader.value("restarts", "shop/till"), 1L)
      assertEquals(reader.value("failures", "shop/till", "decision" -> "restart"), 1L)
      assertEquals(reader.value("message.waiting", "shop/till"), 0L)
      assertEquals(reader.value("message.stashed", "shop/door"), 3L)
      assertEquals(reader.value("message.handled", "shop/door"), 0L)
      assertEquals(reader.value("count", "shop/door"), 1L)
      assertEquals(reader.deadLetters("shop", "unhandled"), 2L)
      assertEquals(reader.deadLetters("shop", "full"), 0L)
      assert(system.shutdown())
      reader.collect()
      assertEquals(reader.value("message.handled", "shop/till"), 3L)
      assertEquals(reader.value("count", "shop/door"), 0L)
      assertEquals(reader.deadLetters("shop", "stopped"), 3L)
      reader.collect()
      assertEquals(reader.names, Set.empty[String], "the metrics have closed themselves")
      metrics.close()

  test("waiting messages are the depth of the mailbox, and a stall is counted"):
    withReader: reader =>
      val stalled = CountDownLatch(1)
      val system = ActorSystem("shop", 1, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry)
      system.subscribe { // after the metrics, so that they have counted it
        case _: ActorEvent.Stalled => stalled.countDown()
        case _                     => ()
      }
      val (begun, end) = (CountDownLatch(1), CountDownLatch(1))
      val till = spawn(
        Behavior.receive[Int] { _ =>
          begun.countDown()
          end.await()
          Behavior.same
        },
        "till"
      )
      for n <- 1 to 10 do till ! n
      await(begun)
      reader.collect()
      assertEquals(reader.value("message.waiting", "shop/till"), 10L)
      await(stalled)
      reader.collect()
      assertEquals(reader.value("stalls", "shop/till"), 1L)
      end.countDown()
      quiet()
      reader.collect()
      assertEquals(reader.value("message.waiting", "shop/till"), 0L)
      assertEquals(reader.value("message.handled", "shop/till"), 10L)
      assert(system.shutdown())
      metrics.close()

  test("actors without a name share a path, and further paths share _OTHER"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry, pathLimit = 3)
      val parent = spawn(
        Behavior.setup[Int] {
          val children = Vector.fill(5)(spawn(Behavior.ignore[Int]))
          Behavior.receive { n =>
            children.foreach(_ ! n)
            Behavior.same
          }
        },
        "parent"
      )
      parent ! 1
      quiet()
      reader.collect()
      assertEquals(reader.paths("count"), Set("parent", "parent/*"))
      assertEquals(reader.value("message.handled", "shop/parent/*"), 5L)
      for n <- 1 to 50 do spawn(Behavior.ignore[Int], s"session-$n") ! n
      quiet()
      reader.collect()
      assertEquals(reader.paths("count").size, 4)
      assertEquals(reader.value("count", "shop/_OTHER"), 49L)
      assertEquals(reader.value("message.handled", "shop/_OTHER"), 49L)
      assert(system.shutdown())
      metrics.close()

  test("a chain of actors deeper than any path is reported, and its deep actors share _OTHER"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry)
      def link(depth: Int): Behavior[Int] = Behavior.setup:
        if depth < 2_000 then spawn(link(depth + 1), "a"): Unit
        Behavior.ignore
      spawn(link(1), "a"): Unit
      quiet()
      reader.collect()
      assertEquals(reader.paths("count").size, 17)
      assertEquals(reader.value("count", "shop/_OTHER"), 1_984L)
      assert(system.shutdown())
      metrics.close()

  test("counts do not decrease at a collection while an actor ends"):
    withReader: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry, handlerTimes = true)
      // The stash of an actor that stops is emptied on its thread, before its last counts are passed
      // on.
      val collections = LongAdder()
      system.subscribe {
        case ActorEvent.DeadLetter(_, _, DeadLetterReason.Stopped) =>
          reader.collect()
          collections.increment()
        case _ => ()
      }: Unit
      def till = Behavior.setup[Int]:
        Behavior.receive: n =>
          if n == 0 then throw IllegalStateException("0")
          if n > 1 then context.stash()
          if n < 0 then Behavior.stopped else Behavior.same
      val path = "shop/till"
      for stopped <- 0 to 1 do
        val actor = spawn(till.supervised { case _ => Supervision.Restart() }, "till")
        for n <- List(1, 1, 0, 2) do actor ! n
        quiet()
        reader.collect()
        def counts =
          List("message.handled", "message.failed", "restarts").map(reader.value(_, path))
        assertEquals(counts, List(2L + 3 * stopped, 1L + stopped, 1L + stopped))
        val (before, seconds) = (counts, reader.busySeconds(path).get)
        actor ! -1
        quiet()
        assertEquals(collections.sum, 1L + stopped)
        assertEquals(counts, before)
        assert(reader.busySeconds(path).get >= seconds)
        reader.collect()
        assertEquals(counts, List(3L + 3 * stopped, 1L + stopped, 1L + stopped))
      assert(system.shutdown())
      metrics.close()

  test("counts of actors that start and stop during collections are exact in the end"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      val metrics = ActorMetrics.register(system, reader.openTelemetry, handlerTimes = true)
      val count = 20_000
      val clerk: Behavior[Int] = Behavior.receive(_ => Behavior.stopped)
      val shop = spawn(
        Behavior.setup[Int] {
          Behavior.receive { n =>
            spawn(clerk, "clerk") ! n
            Behavior.same
          }
        },
        "shop"
      )
      val sender = Thread.ofPlatform.daemon.start(() => for n <- 1 to count do shop ! n)
      var (last, lastBusy, collections) = (0L, 0.0, 0)
      val end = System.nanoTime + 1.minute.toNanos
      while last < count && System.nanoTime < end do
        reader.collect()
        collections += 1
        val handled = reader.find("message.handled", "shop/shop/clerk").getOrElse(0L)
        val busy = reader.busySeconds("shop/shop/clerk").getOrElse(0.0)
        assert(handled >= last && handled <= count, s"$handled after $last")
        assert(busy >= lastBusy, s"$busy s after $lastBusy s")
        last = handled
        lastBusy = busy
      join(sender)
      quiet()
      reader.collect()
      assert(collections > 1)
      assertEquals(reader.value("message.handled", "shop/shop/clerk"), count.toLong)
      assertEquals(reader.value("count", "shop/shop/clerk"), 0L)
      assert(lastBusy > 0)
      assert(system.shutdown())
      metrics.close()

  test("the time of turns is reported only on request, and by run model"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      def send(): Unit =
        val actors =
          for run <- List(Run.Workers, Run.Virtual)
          yield spawn(
            Behavior.ignore[Int],
            "till",
            run
          )
        for actor <- actors; n <- 1 to 1000 do actor ! n
        quiet()
      val first = ActorMetrics.register(system, reader.openTelemetry)
      send()
      reader.collect()
      assert(!reader.names("undercroft.actor.busy.time"))
      first.close()
      val metrics = ActorMetrics.register(system, reader.openTelemetry, handlerTimes = true)
      send()
      reader.collect()
      val seconds = reader.busyByRun("shop/till")
      assertEquals(seconds.keySet, Set("workers", "virtual"))
      assert(seconds.values.forall(time => time > 0 && time < 60), seconds)
      metrics.close()
      send()
      assert(system.shutdown())

  test("times are measured until the system ends, even if no collection follows"):
    withReader: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      val metrics = ActorMetrics.register(system, reader.openTelemetry, handlerTimes = true)
      assert(busyNanosOfNewSystem() > 0)
      assert(system.shutdown())
      assertEquals(busyNanosOfNewSystem(), 0L)
      metrics.close()
      assertEquals(busyNanosOfNewSystem(), 0L)

  private def busyNanosOfNewSystem(): Long =
    val system = ActorSystem("other", 1, _ => ())
    given ActorSystem = system
    val till = spawn(Behavior.ignore[Int], "till")
    for n <- 1 to 1000 do till ! n
    quiet()
    val nanos = system.observe.tree.rows.map(_.busyNanos).sum
    assert(system.shutdown())
    nanos

  test("a system has one registration, and another after it is closed"):
    withReader: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      val first = ActorMetrics.register(system, reader.openTelemetry)
      assertEquals(
        intercept[IllegalStateException](
          ActorMetrics.register(system, reader.openTelemetry)
        ).getMessage,
        "shop has metrics already: close them first"
      )
      reader.collect()
      assert(reader.names("undercroft.actor.dead_letters"))
      first.close()
      first.close()
      reader.collect()
      assertEquals(reader.names, Set.empty[String])
      val second = ActorMetrics.register(system, reader.openTelemetry)
      reader.collect()
      assert(reader.names("undercroft.actor.dead_letters"))
      first.close()
      reader.collect()
      assert(reader.names("undercroft.actor.dead_letters"))
      assert(system.shutdown())
      second.close()

  test("wrong arguments are rejected with their values, and change nothing"):
    val system = ActorSystem("shop", 1, _ => ())
    assertEquals(
      intercept[IllegalArgumentException](
        ActorMetrics.register(system, OpenTelemetry.noop, pathLimit = 0)
      ).getMessage,
      "pathLimit must be at least 1, but is 0"
    )
    val none = Option.empty[OpenTelemetry].orNull
    assertEquals(
      intercept[NullPointerException](ActorMetrics.register(system, none)).getMessage,
      "the OpenTelemetry for shop is null"
    )
    ActorMetrics.register(system, OpenTelemetry.noop).close()
    assert(system.shutdown())
    assertEquals(
      intercept[IllegalStateException](
        ActorMetrics.register(system, OpenTelemetry.noop)
      ).getMessage,
      "shop has stopped"
    )

  test("a system that counts no messages is rejected, and its actors run on"):
    val jvm = ForkedJvm.run(
      "outside.actor.opentelemetry.metricsWithoutAudit",
      ForkedJvm.Granted :+ "-Dundercroft.actor.audit=off"
    )
    assertEquals(jvm.exit, 0, jvm.output)
    assertEquals(
      jvm.output.linesIterator.toList,
      List("shop has no counts to report: undercroft.actor.audit is off", "7", "1 span")
    )

  test("actors that stopped before the registration are counted under _OTHER, once"):
    withReader: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      def work(name: String): Unit =
        val actor = spawn(
          Behavior
            .receive[Int] { n =>
              if n == 0 then throw IllegalStateException("0")
              if n < 0 then Behavior.stopped else Behavior.same
            }
            .supervised { case _ => Supervision.Restart() },
          name
        )
        for n <- List(1, 2, 0, -1) do actor ! n
        quiet()
        assert(actor.isStopped)
      for i <- 1 to 3 do work(s"early-$i")
      spawn(Behavior.ignore[Int], "live") ! 1
      quiet()
      val first = ActorMetrics.register(system, reader.openTelemetry, pathLimit = 2)
      work("late")
      def check(earlier: Int, late: Option[Int]): Unit =
        reader.collect()
        assertEquals(reader.value("message.handled", "shop/live"), 1L)
        val counts = List("message.handled" -> 3L, "message.failed" -> 1L, "restarts" -> 1L)
        for (name, each) <- counts do
          assertEquals(reader.value(name, "shop/_OTHER"), each * earlier, name)
          assertEquals(reader.find(name, "shop/late"), late.map(_ * each), name)
        assertEquals(reader.value("count", "shop/_OTHER"), 0L)
      check(earlier = 3, late = Some(1))
      check(earlier = 3, late = Some(1))
      first.close()
      val second = ActorMetrics.register(system, reader.openTelemetry)
      check(earlier = 4, late = None)
      assert(system.shutdown())
      check(earlier = 4, late = None)
      second.close()

  test("two systems with different names are told apart"):
    withReader: reader =>
      val systems = List("north", "south").map(ActorSystem(_, 1, _ => ()))
      val all = systems.map(ActorMetrics.register(_, reader.openTelemetry))
      for (system, i) <- systems.zipWithIndex do
        given ActorSystem = system
        val till = spawn(Behavior.ignore[Int], "till")
        for n <- 0 to i do till ! n
        quiet()
      reader.collect()
      assertEquals(reader.value("message.handled", "north/till"), 1L)
      assertEquals(reader.value("message.handled", "south/till"), 2L)
      systems.foreach(_.close())
      all.foreach(_.close())
end MetricsTest

/** A system without counts: metrics are rejected, and spans are recorded. */
@main def metricsWithoutAudit(): Unit =
  val system = ActorSystem("shop", 1, _ => ())
  given ActorSystem = system
  try ActorMetrics.register(system, OpenTelemetry.noop): Unit
  catch case e: IllegalStateException => println(e.getMessage)
  val spans = Spans()
  val registration = ActorSpans.register(system, spans.openTelemetry)
  val till = spawn(
    Behavior.receive[Int] { n =>
      println(n)
      Behavior.same
    },
    "till"
  )
  till ! 7
  if system.shutdown(1.minute, 1.minute) then println(s"${spans.all.size} span")
  registration.close()
