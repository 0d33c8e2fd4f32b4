package outside.actor

import java.nio.file.Files
import java.util.concurrent.TimeUnit
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.tools.Requirement

/** The page as headless Chromium shows it. */
class PageInBrowserTest extends PageSuite:

  /** The document after its script has run for eight seconds of the browser's time, and the lines
    * of its console.
    */
  private def opened(page: ActorPage): (String, Seq[String]) =
    Requirement.CHROMIUM.require()
    val folder = Files.createTempDirectory("actor-page")
    val (dom, log) = (folder.resolve("dom"), folder.resolve("log"))
    try
      val process = ProcessBuilder(
        Requirement.chromium().get.toString,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        s"--user-data-dir=${folder.resolve("profile")}",
        "--enable-logging=stderr",
        "--virtual-time-budget=8000",
        "--dump-dom",
        page.uri.toString
      ).redirectOutput(dom.toFile).redirectError(log.toFile).start()
      try assert(process.waitFor(2, TimeUnit.MINUTES), "the browser did not end")
      finally process.destroyForcibly(): Unit
      val lines = Files.readString(log).linesIterator.filter(_.contains(":CONSOLE")).toSeq
      (Files.readString(dom), lines)
    finally delete(folder.toFile)
  end opened

  private def delete(file: java.io.File): Unit =
    if file.isDirectory then for child <- Option(file.listFiles).toSeq.flatten do delete(child)
    file.delete(): Unit

  test("the browser shows the tree, rates, slow handlers, stalls and dead letters"):
    withPage: page =>
      val ticking = Behavior.setup[Int]:
        context.startTimerAtFixedRate("tick", 1, 10.millis)
        Behavior.receive: _ =>
          Thread.onSpinWait()
          Behavior.same
      spawn(
        Behavior.setup[Int]:
          // Not on the worker of the stalled handler, which would delay it.
          spawn(ticking, "<b>ticking</b>", Run.Virtual): Unit
          Behavior.empty
        ,
        "parent"
      ) ! 7
      val gate = java.util.concurrent.CountDownLatch(1)
      val stalled = spawn(
        Behavior.receive[Int]: _ =>
          gate.await()
          Behavior.same
        ,
        "stalled"
      )
      val hasStalled = java.util.concurrent.CountDownLatch(1)
      system.subscribe:
        case ActorEvent.Stalled(_, _, _, _) => hasStalled.countDown()
        case _                              => ()
      : Unit
      stalled ! 1
      try
        val isReported = hasStalled.await(1, TimeUnit.MINUTES)
        assert(isReported, "the stalled handler was not reported")
        // Rates are of the time between the last two updates, in which the script's clock runs ahead
        // of the real one: on a busy machine nothing may have been handled.
        val slow = "&lt;b&gt;ticking&lt;/b&gt;: " // in the list of slow handlers, as text
        val views = LazyList.continually(opened(page)).take(20)
        val (dom, complaints) = views.find((dom, _) => dom.contains(slow)).getOrElse(views.last)
        assertEquals(complaints, Nil)
        for part <- List(
            slow,
            "µs a message, ",
            "a message since the last update: p50 ",
            "; longest of all: ",
            "<h2>Stalled handlers: 1</h2>",
            "CountDownLatch.await",
            "<h2>Dead letters: 1</h2>",
            "java.lang.Integer: Unhandled"
          )
        do assert(dom.contains(part), s"$part in $dom")
        val line = """data-of="waiting">.*?<polyline points="([^"]+)"""".r
        val points = line.findFirstMatchIn(dom.replace("\n", "")).map(_.group(1).split(' ').length)
        assert(points.exists(_ >= 2), s"points of the line of waiting messages: $points")
        // The stalled message waits, and a tick may.
        val totals = """actors: 3, waiting messages: [12], messages a second: (\d+)""".r
        assert(totals.findFirstMatchIn(dom).exists(_.group(1).toInt > 0), dom)
      finally gate.countDown()
      end try

  test("the browser shows that the system has stopped"):
    val system = ActorSystem("brief", listener = _ => ())
    val page = ActorPage.serve(system)
    try
      system.close()
      val (dom, complaints) = opened(page)
      assertEquals(complaints, Nil)
      assert(dom.contains("the system has stopped"), dom)
    finally page.close()
end PageInBrowserTest
