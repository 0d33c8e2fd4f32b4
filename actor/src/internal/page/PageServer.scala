package undercroft.actor
package internal.page

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, URI}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale
import java.util.concurrent.{ExecutorService, Executors, Semaphore}

/** The HTTP server of one page, on the loopback address. Its threads are daemons.
  *
  * A client may send requests and read no answers. So at most [[PageServer.MaxExchanges]] requests
  * are answered at a time; further ones get the status 503. The connection of an answer that takes
  * longer than [[PageServer.MaxMillis]] is closed.
  */
private[actor] final class PageServer private (
    server: HttpServer,
    executor: ExecutorService,
    state: () => String
):
  import PageServer.*
  private val exchanges = Semaphore(MaxExchanges)
  private val deadlines = Deadlines(MaxMillis)

  def uri: URI = URI(s"http://127.0.0.1:${server.getAddress.getPort}/")

  /** Accepts no further requests and ends the current ones. */
  def close(): Unit =
    server.stop(0)
    executor.shutdownNow(): Unit
    deadlines.close()

  private def respond(exchange: HttpExchange): Unit =
    deadlines.limit:
      val isPermitted = exchanges.tryAcquire()
      try
        try if isPermitted then answer(exchange) else refuse(exchange)
        finally exchange.close() // writes a short answer
      finally if isPermitted then exchanges.release()

  private def refuse(exchange: HttpExchange): Unit =
    exchange.getResponseHeaders.set("Connection", "close")
    val text = s"at most $MaxExchanges requests are answered at a time"
    send(exchange, 503, Text, text.getBytes(UTF_8))

  private def answer(exchange: HttpExchange): Unit =
    val isRead = exchange.getRequestMethod == "GET" || exchange.getRequestMethod == "HEAD"
    if !isLocal(exchange.getRequestHeaders.getFirst("Host")) then
      send(
        exchange,
        403,
        Text,
        "this page is served to the names of this host only".getBytes(UTF_8)
      )
    else if !isRead then
      exchange.getResponseHeaders.set("Allow", "GET, HEAD")
      send(exchange, 405, Text, "only GET and HEAD are allowed".getBytes(UTF_8))
    else
      exchange.getRequestURI.getPath match
        case "/state.json" => send(exchange, 200, Json, state().getBytes(UTF_8))
        case path =>
          files.get(path) match
            case Some(file) => send(exchange, 200, file.contentType, file.content)
            case None       => send(exchange, 404, Text, "no such page".getBytes(UTF_8))
end PageServer

private[actor] object PageServer:
  private final class PageFile(val contentType: String, name: String):
    val content: Array[Byte] =
      val stream = classOf[PageServer].getResourceAsStream(s"/undercroft/actor/internal/page/$name")
      if stream == null then throw IOException(s"the resource $name of the page is missing")
      try stream.readAllBytes()
      finally stream.close()

  /** The most requests that are answered at a time; a browser sends at most six. */
  private val MaxExchanges = 16

  /** The longest time of an answer. */
  private val MaxMillis = 10_000L

  private val Text = "text/plain; charset=utf-8"
  private val Json = "application/json; charset=utf-8"

  private lazy val files = Map(
    "/" -> PageFile("text/html; charset=utf-8", "page.html"),
    "/page.css" -> PageFile("text/css; charset=utf-8", "page.css"),
    "/page.js" -> PageFile("text/javascript; charset=utf-8", "page.js")
  )

  /** The names of this host in a `Host` header, before the port. A page of another site whose name
    * was made to lead here ("DNS rebinding") sends its own name.
    */
  private val LocalNames = Set("127.0.0.1", "localhost", "[::1]")

  private def isLocal(host: String | Null): Boolean =
    host != null && LocalNames(host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT))

  private def send(exchange: HttpExchange, status: Int, kind: String, content: Array[Byte]): Unit =
    val headers = exchange.getResponseHeaders
    headers.set("Content-Type", kind)
    headers.set("Cache-Control", "no-store")
    headers.set("X-Content-Type-Options", "nosniff")
    headers.set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
    if exchange.getRequestMethod == "HEAD" then exchange.sendResponseHeaders(status, -1)
    else
      exchange.sendResponseHeaders(status, content.length)
      exchange.getResponseBody.write(content)

  def start(port: Int, state: () => String): PageServer =
    files: Unit // a missing resource is an error of the caller
    val address = InetSocketAddress(InetAddress.getByName("127.0.0.1"), port)
    val server =
      try HttpServer.create(address, 0)
      catch
        case error: IOException =>
          throw IOException(s"the page cannot be served on ${address.getHostString}:$port", error)
    val executor = Executors.newVirtualThreadPerTaskExecutor()
    val result = new PageServer(server, executor, state)
    server.setExecutor(executor)
    server.createContext("/", exchange => result.respond(exchange)): Unit
    // The dispatcher's thread is a daemon if the thread that starts it is one.
    val starter = Thread.ofPlatform.daemon.name("page-starter").start(() => server.start())
    join(starter)
    result
  end start

  /** Waits for a thread that ends soon, even if this thread is interrupted; keeps its flag set. */
  private def join(thread: Thread): Unit =
    var isInterrupted = false
    while thread.isAlive do
      try thread.join()
      catch case _: InterruptedException => isInterrupted = true
    if isInterrupted then Thread.currentThread.interrupt()
end PageServer
