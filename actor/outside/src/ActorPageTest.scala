package outside.actor

import java.io.IOException
import java.net.{InetSocketAddress, ServerSocket, Socket, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** The page of a system as HTTP clients see it. */
class ActorPageTest extends PageSuite:

  private val client = HttpClient.newHttpClient()

  private def request(page: ActorPage, path: String, method: String = "GET"): HttpResponse[String] =
    val request = HttpRequest.newBuilder(page.uri.resolve(path))
      .method(method, HttpRequest.BodyPublishers.noBody)
    client.send(request.build(), HttpResponse.BodyHandlers.ofString())

  private def state(page: ActorPage): String = request(page, "/state.json").body

  /** The status line and the headers of a request that is sent as it is. */
  private def raw(page: ActorPage, lines: String*): String =
    val socket = Socket("127.0.0.1", page.uri.getPort)
    try
      socket.setSoTimeout(60_000)
      socket.getOutputStream.write(lines.mkString("", "\r\n", "\r\n\r\n").getBytes(UTF_8))
      String(socket.getInputStream.readNBytes(12), UTF_8)
    finally socket.close()

  test("the page, its style and its script have their types and may load nothing from elsewhere"):
    withPage: page =>
      for (path, kind, part) <- List(
          ("/", "text/html", "<!doctype html>"),
          ("/page.css", "text/css", "font"),
          ("/page.js", "text/javascript", "fetch('state.json'"),
          ("/state.json", "application/json", "\"system\": \"shop\"")
        )
      do
        val response = request(page, path)
        val headers = response.headers
        assertEquals(response.statusCode, 200, path)
        assert(response.body.contains(part), path)
        assertEquals(headers.firstValue("Content-Type").get, s"$kind; charset=utf-8")
        assert(headers.firstValue("Content-Security-Policy").get.contains("default-src 'self'"))
        assertEquals(headers.firstValue("Access-Control-Allow-Origin").isPresent, false)
      val head = request(page, "/", "HEAD")
      assertEquals((head.statusCode, head.body), (200, ""))

  test("other paths and other methods are refused, and change nothing"):
    withPage: page =>
      for path <- List("/index.html", "/page.js/", "/../page.js", "/state.json/x") do
        assertEquals(request(page, path).statusCode, 404, path)
      for method <- List("POST", "PUT", "DELETE", "OPTIONS") do
        val response = request(page, "/state.json", method)
        assertEquals(response.statusCode, 405, method)
        assertEquals(response.headers.firstValue("Allow").get, "GET, HEAD")
      assertEquals(request(page, "/").statusCode, 200)

  test("a request that names another host is refused: a page of another site cannot read it"):
    withPage: page =>
      for host <- List("127.0.0.1:1", "localhost", "LOCALHOST:8558", "[::1]:80") do
        assertEquals(raw(page, "GET /state.json HTTP/1.1", s"Host: $host"), "HTTP/1.1 200", host)
      for host <- List("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "") do
        assertEquals(raw(page, "GET /state.json HTTP/1.1", s"Host: $host"), "HTTP/1.1 403", host)
      assertEquals(raw(page, "GET /state.json HTTP/1.0"), "HTTP/1.1 403")

  /** A client that reads the status of an answer, and not its content. */
  private def stalledClient(page: ActorPage): Socket =
    val socket = Socket()
    socket.setReceiveBufferSize(1024)
    socket.setSoTimeout(60_000)
    socket.connect(InetSocketAddress(page.uri.getHost, page.uri.getPort))
    val lines = "GET /state.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    socket.getOutputStream.write(lines.getBytes(UTF_8))
    socket.getInputStream.readNBytes(12): Unit // the status
    socket

  /** Occupies a page by clients that read no answer, until `end` of their connections. */
  private def occupies(end: List[Socket] => Unit): Unit =
    withPage: page =>
      val name = "till" * 10_000 // a state of several megabytes, more than sockets buffer
      for _ <- 1 to 200 do spawn(Behavior.ignore[Int], name)
      def status(): String = raw(page, "GET /page.css HTTP/1.1", "Host: localhost")
      assertEquals(status(), "HTTP/1.1 200")
      var clients = List.empty[Socket]
      try
        // A loaded machine may end the first ones before the last ones are there.
        while clients.size < 200 && status() != "HTTP/1.1 503" do
          clients = stalledClient(page) :: clients
        assert(clients.size > 8 && clients.size < 200, s"${clients.size} clients")
        end(clients)
        until(status() == "HTTP/1.1 200")
      finally clients.foreach(_.close())

  test("clients that read no answer are limited, and others are served when they close"):
    occupies(_.foreach(_.close()))

  test("connections of clients that read no answer end after ten seconds".tag(LongTest)):
    occupies(_ => ())

  test("a page that an interrupted thread serves is served, and the interrupt is kept"):
    withSystem:
      Thread.currentThread.interrupt()
      val page = ActorPage.serve(system)
      assert(Thread.interrupted())
      try assertEquals(request(page, "/").statusCode, 200)
      finally page.close()

  test("the state has each actor, and the last events of each kind with their number"):
    withPage: page =>
      val parent = spawn(
        Behavior.setup[Int]:
          val child = spawn(Behavior.empty[Int], "child")
          Behavior
            .receive[Int]: n =>
              child ! n
              if n == 0 then throw IllegalStateException("no zero \"here\"\n")
              Behavior.same
            .supervised { case _ => Supervision.Resume }
        ,
        "parent"
      )
      for n <- 0 to 9 do parent ! n
      quiet()
      val text = state(page)
      for part <- List(
          """"actorCount": 2""",
          """"name": "parent"""",
          """"name": "child"""",
          """{"kind": "Failures", "count": 1, """,
          """java.lang.IllegalStateException: no zero \"here\"\u000a; Resume""",
          """{"kind": "Dead letters", "count": 10, """,
          """java.lang.Integer: Unhandled""",
          """{"kind": "Stalled handlers", "count": """
        )
      do assert(text.contains(part), s"$part in $text")

  test("parked messages are shown by their class"):
    withPage: page =>
      val actor = spawn(
        Behavior.receive[String](_ => throw IllegalStateException("never"))
          .onMessageFailure { case _ => MessageFailure.Park }
          .supervised { case _ => Supervision.Resume },
        "fragile"
      )
      actor ! "secret"
      until(state(page).contains("java.lang.String: parked; java.lang.IllegalStateException"))
      assert(!state(page).contains("secret"))

  test("an exception whose text throws does not disturb the page or the actor"):
    final class Rude extends RuntimeException:
      override def toString: String = throw IllegalStateException("no text")
    withPage: page =>
      val actor = spawn(
        Behavior.receive[Int](n => if n == 0 then throw Rude() else Behavior.same)
          .supervised { case _ => Supervision.Resume },
        "rude"
      )
      for n <- 0 to 5 do actor ! n
      quiet()
      assert(state(page).contains("Rude"), state(page))
      assertEquals(system.observe.audit.handled, 5L)

  test("a million dead letters are counted, and fifty of them are shown"):
    withPage: page =>
      val refusing = spawn(Behavior.empty[Int], "refusing", run = Run.Caller)
      for n <- 1 to 1_000_000 do refusing ! n
      val text = state(page)
      assert(text.contains("""{"kind": "Dead letters", "count": 1000000, """), text.take(1000))
      assert(text.split("Unhandled").length <= 51, text)

  test("names of markup and unpaired surrogates are valid JSON"):
    withPage: page =>
      spawn(Behavior.ignore[Int], "</script><script>alert(1)</script>"): Unit
      spawn(Behavior.ignore[Int], "\ud800 \"\\\u0001"): Unit
      val text = state(page)
      assert(text.contains("</script><script>alert(1)</script>"), text)
      assert(text.contains("""\ud800 \"\\\u0001"""), text)

  test("of 5000 actors the page has 1000, those with waiting messages among them"):
    withPage: page =>
      val gate = java.util.concurrent.CountDownLatch(1)
      for n <- 1 to 4990 do spawn(Behavior.ignore[Int], "idle"): Unit
      val busy =
        for n <- 1 to 10
        yield spawn(
          Behavior.receive[Int]: _ =>
            gate.await()
            Behavior.same
          ,
          s"busy-$n",
          run = Run.Virtual
        )
      for actor <- busy do actor ! 1
      try
        val text = state(page)
        assert(text.contains(""""actorCount": 5000"""))
        assertEquals(text.split("\"name\"").length, 1001)
        for n <- 1 to 10 do assert(text.contains(s""""name": "busy-$n""""), s"busy-$n")
      finally gate.countDown()

  test(
    "the page of a stopped system says so, and can be closed; a closed page refuses connections"
  ):
    val system = ActorSystem("brief", 1, _ => ())
    val page = ActorPage.serve(system)
    spawn(Behavior.ignore[Int])(using system)
    assert(state(page).contains(""""isStopped": false, """))
    system.close()
    assert(state(page).contains(""""isStopped": true, """), state(page))
    page.close()
    page.close()
    intercept[IOException](state(page)): Unit

  test("two pages of one system, at the same time; handlers are measured until both are closed"):
    withSystem:
      val pages = List.fill(2)(ActorPage.serve(system))
      val actor = spawn(Behavior.ignore[Int], "actor")
      def busyNanos = system.observe.tree.rows.map(_.busyNanos).sum
      def work(): Unit =
        for n <- 1 to 1000 do actor ! n
        quiet()
      assertNotEquals(pages(0).uri, pages(1).uri)
      pages(0).close()
      pages(0).close() // once more: the other page still measures
      work()
      val measured = busyNanos
      assert(measured > 0)
      assertEquals(system.observe.durations.count, 1000L)
      pages(1).close()
      work()
      assertEquals(busyNanos, measured)
      assertEquals(system.observe.durations.count, 1000L)

  test("the state has the histogram of the handlers, whose counts are those of the messages"):
    withPage: page =>
      assert(state(page).contains(""""durations": {"count": 0, "maxNanos": 0, "buckets": []}"""))
      val actor = spawn(
        Behavior.receive[Int]: n =>
          if n == 1 then compute(20.millis)
          Behavior.same
      )
      for n <- 1 to 100 do actor ! n
      quiet()
      val json = state(page)
      val head = """"durations": \{"count": 100, "maxNanos": (\d+), "buckets": \[(.*?)\]\]""".r
      val found = head.findFirstMatchIn(json).getOrElse(fail(json))
      assert(found.group(1).toLong >= 20_000_000L, json)
      val buckets = s"${found.group(2)}]".split("(?<=\\]), ").toList.map: bucket =>
        bucket.stripPrefix("[").stripSuffix("]").split(", ").map(_.toLong).toList
      assertEquals(buckets.map(_(2)).sum, 100L, json)
      assertEquals(buckets.map(_(0)), buckets.map(_(0)).sorted, json)
      assert(buckets.last(1) >= 19_000_000L, json)

  test("a port in use is an error with its number, and leaves nothing switched on"):
    withSystem:
      val other = ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
      try
        val error = intercept[IOException](ActorPage.serve(system, other.getLocalPort))
        assertEquals(
          error.getMessage,
          s"the page cannot be served on 127.0.0.1:${other.getLocalPort}"
        )
      finally other.close()
      val actor = spawn(Behavior.ignore[Int], "actor")
      for n <- 1 to 1000 do actor ! n
      quiet()
      assertEquals(system.observe.tree.rows.map(_.busyNanos).sum, 0L)

  for port <- List(-1, 65536) do
    test(s"port $port is an error with the allowed range"):
      withSystem:
        val error = intercept[IllegalArgumentException](ActorPage.serve(system, port))
        assertEquals(error.getMessage, s"port must be from 0 to 65535, but is $port")

  test("a page of a null system is an error"):
    val error = intercept[NullPointerException](ActorPage.serve(null))
    assertEquals(error.getMessage, "the system of an ActorPage is null")

  test("an open page does not keep the JVM alive"):
    val result = ForkedJvm.run("outside.actor.openPage")
    assertEquals((result.exit, result.last), (0, "the page is open"), result.output)

  test("a client that sends half a request does not hold up others"):
    withPage: page =>
      val slow = List.fill(20)(Socket("127.0.0.1", page.uri.getPort))
      try
        for socket <- slow do socket.getOutputStream.write("GET / HT".getBytes(UTF_8))
        assertEquals(request(page, "/").statusCode, 200)
      finally slow.foreach(_.close())
end ActorPageTest

/** A program that ends without closing its page. */
@main def openPage(): Unit =
  val system = ActorSystem("brief", listener = _ => ())
  val page = ActorPage.serve(system)
  page.uri.toURL.openStream().readAllBytes(): Unit
  system.close()
  println("the page is open")
