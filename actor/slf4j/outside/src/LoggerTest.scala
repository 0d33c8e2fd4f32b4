package outside.actor.slf4j

import ch.qos.logback.classic.{Level, Logger, LoggerContext}
import ch.qos.logback.classic.spi.ILoggingEvent
import ch.qos.logback.core.AppenderBase
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue}
import org.slf4j.{LoggerFactory, MDC, MarkerFactory}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.slf4j.*

/** Lines of actors, as Logback gets them. */
class LoggerTest extends undercroft.tools.Suite:

  private val backend = LoggerFactory.getILoggerFactory.asInstanceOf[LoggerContext]

  /** The events of the loggers below `outside` while `body` runs. */
  private def logged(body: ActorSystem ?=> Unit): List[ILoggingEvent] =
    val target: Logger = backend.getLogger("outside")
    val appender = Events()
    appender.setContext(backend)
    appender.start()
    target.addAppender(appender)
    target.setAdditive(false)
    target.setLevel(Level.DEBUG)
    val system = ActorSystem("shop", 2, _ => ())
    try
      body(using system)
      val isQuiet = system.awaitQuiescence(1.minute)
      assert(isQuiet)
    finally
      system.close()
      target.detachAppender(appender)
    appender.all

  private def mdc(event: ILoggingEvent): Map[String, String] = event.getMDCPropertyMap.asScala.toMap

  /** Keeps events with the MDC and the location of the call. */
  private final class Events extends AppenderBase[ILoggingEvent]:
    private val events = ConcurrentLinkedQueue[ILoggingEvent]()
    def append(event: ILoggingEvent): Unit =
      event.prepareForDeferredProcessing()
      event.getCallerData: Unit
      events.add(event): Unit
    def all: List[ILoggingEvent] = events.asScala.toList

  private val here = "outside.actor.slf4j.LoggerTest"

  test("lines have the system, the path, the class and the location of the call"):
    val events = logged:
      val till: Behavior[Int] = Behavior.setup:
        val log = context.logger
        Behavior.receive: price =>
          log.info("sold for {}", price)
          Behavior.same
      val orders: Behavior[Int] = Behavior.setup:
        val child = spawn(till, "till")
        Behavior.receive: price =>
          child ! price
          Behavior.same
      spawn(orders, "orders") ! 250
    val event = events.head
    assertEquals(events.size, 1)
    assertEquals(event.getFormattedMessage, "sold for 250")
    assertEquals(event.getLoggerName, here)
    assertEquals(mdc(event), Map("actorSystem" -> "shop", "actorPath" -> "orders/till"))
    val location = event.getCallerData.head
    assert(location.getClassName.startsWith(here), s"$location")
    assertEquals(location.getFileName, "LoggerTest.scala")

  test("levels, markers, exceptions and the fluent calls reach the backend; disabled lines do not"):
    val cause = IllegalStateException("closed")
    val marker = MarkerFactory.getMarker("AUDIT")
    val events = logged:
      spawn(
        Behavior.setup[Int]:
          val log = context.logger("outside.sales")
          Behavior.receive: _ =>
            log.trace("not enabled")
            log.debug(marker, "marked {} {} {}", 1, 2, 3)
            log.error("failed", cause)
            log.atWarn.addKeyValue("price", 250).addMarker(marker).log("dear {}", 7)
            if log.isTraceEnabled || !log.isDebugEnabled(marker) then log.error("wrong level")
            Behavior.same
        ,
        "till"
      ) ! 1
    assertEquals(
      events.map(event => (event.getLevel, event.getFormattedMessage)),
      List(
        (Level.DEBUG, "marked 1 2 3"),
        (Level.ERROR, "failed"),
        (Level.WARN, "dear 7")
      )
    )
    assertEquals(events(0).getMarkerList.asScala.toList, List(marker))
    assertEquals(events(2).getMarkerList.asScala.toList, List(marker))
    val pairs = events(2).getKeyValuePairs.asScala.map(pair => (pair.key, pair.value)).toList
    assertEquals(pairs, List[(String, Any)](("price", 250)))
    for event <- events do
      val location = event.getCallerData.head
      assert(location.getClassName.startsWith(here), s"$location")
    assertEquals(events(1).getThrowableProxy.getMessage, "closed")
    assert(events.forall(_.getLoggerName == "outside.sales"))
    assert(events.forall(mdc(_)("actorPath") == "till"))

  test("the MDC of the thread is as before, also if a line or the body fails"):
    val events = logged:
      spawn(
        Behavior.setup[Int]:
          val log = context.logger
          Behavior.receive: n =>
            MDC.put("actorPath", "own")
            MDC.put("request", s"$n")
            log.info("first")
            try context.withMdc(throw IllegalStateException("in the body"))
            catch case _: IllegalStateException => ()
            LoggerFactory.getLogger("outside.library").info("without")
            context.withMdc(LoggerFactory.getLogger("outside.library").info("with"))
            MDC.clear()
            log.info("last")
            if MDC.get("actorPath") != null then log.error("the MDC remains")
            Behavior.same
        ,
        "till"
      ) ! 7
    assertEquals(
      events.map(event =>
        (event.getMessage, mdc(event).get("actorPath"), mdc(event).get("request"))
      ),
      List(
        ("first", Some("till"), Some("7")),
        ("without", Some("own"), Some("7")),
        ("with", Some("till"), Some("7")),
        ("last", Some("till"), None)
      )
    )

  test("ten thousand lines of many actors on every run model have their own actor's path"):
    val events = logged:
      val runs = Vector(Run.Workers, Run.Virtual, Run.Thread, Run.Caller)
      val actors =
        for n <- 0 until 20 yield
          val behavior: Behavior[Int] = Behavior.setup:
            val log = context.logger
            Behavior.receive: i =>
              log.info("line {} of {}", i, n)
              Behavior.same
          spawn(behavior, s"actor-$n", run = runs(n % runs.size))
      for i <- 1 to 500; actor <- actors do actor ! i
    assertEquals(events.size, 10_000)
    for event <- events do
      val number = event.getArgumentArray()(1)
      assertEquals(mdc(event)("actorPath"), s"actor-$number")

  test("a callback on another thread logs with the actor's path"):
    val events = logged:
      val done = CompletableFuture[Unit]()
      spawn(
        Behavior.setup[Int]:
          val log = context.logger
          Behavior.receive: _ =>
            CompletableFuture.runAsync(() => log.info("elsewhere")).thenRun(() => done.complete(()))
            Behavior.same
        ,
        "till"
      ) ! 1
      done.get(1, java.util.concurrent.TimeUnit.MINUTES)
    assertEquals(events.map(mdc(_)("actorPath")), List("till"))

  test("an actor without a name, and one below 16 others"):
    val events = logged:
      def nested(depth: Int): Behavior[Int] = Behavior.setup:
        val log = context.logger
        log.info("depth {}", depth)
        if depth < 20 then spawn(nested(depth + 1), "a"): Unit
        Behavior.empty
      spawn(nested(1), ""): Unit
    val paths = events.map(mdc(_)("actorPath"))
    assertEquals(paths.take(2), List("*", "*/a"))
    assertEquals(paths(15), "*" + "/a" * 15)
    assertEquals(paths.drop(16).toSet, Set(""))

  test("a null name is an error"):
    val errors = ConcurrentLinkedQueue[String]()
    logged:
      spawn(Behavior.setup[Int]:
        try context.logger(null): Unit
        catch case error: NullPointerException => errors.add(error.getMessage): Unit
        Behavior.empty): Unit
    : Unit
    assertEquals(errors.asScala.toList, List("the name of a logger is null"))
end LoggerTest
