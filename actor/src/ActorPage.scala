package undercroft.actor

import internal.page.{EventLog, PageServer, PageState}
import java.net.URI

/** A web page that shows the actors of a system live: the tree with messages per second, the time
  * in handlers and the slowest handlers; the median, 99th percentile and maximum of the handlers'
  * durations; failures, stalled handlers with their stacks, dead letters and parked messages.
  * Thread-safe.
  *
  * It is served on the loopback address only, without a login, and accepts only requests that name
  * this host: neither other machines nor pages of other sites can read it. To see the page of
  * another machine, forward the port, for example by `ssh -L`. Messages are shown by their class,
  * not by their content; failures with the text of the exception.
  *
  * Cost: two clock readings for each message of all actors of the process as long as the page is
  * open; while a browser shows it, a snapshot of the system each second, about a microsecond per
  * actor. Of more than 1000 actors it shows the 1000 with the most waiting messages and time. Of
  * failures, stalls, dead letters and parked messages it counts all, and keeps the last 50 of each
  * kind. After it has kept an event of any actor, further events of that kind within ten
  * milliseconds are only counted. It answers at most 16 requests at a time, and further ones with
  * the status 503; the connection of a client that does not read an answer within ten seconds is
  * closed.
  *
  * {{{
  * import undercroft.actor.*
  * ActorSystem.scoped("shop"):
  *   spawn(Behavior.ignore[Int], "till") ! 250
  *   val page = ActorPage.serve(summon[ActorSystem])
  *   println(page.uri.getHost) // 127.0.0.1
  *   page.close()
  * }}}
  */
final class ActorPage private (
    val system: ActorSystem,
    server: PageServer,
    subscription: AutoCloseable
) extends AutoCloseable:
  private var isOpen = true

  /** The address of the page, for a browser on this machine. */
  def uri: URI = server.uri

  /** Ends the page, and the measurement of handlers. A browser that shows it keeps the last state.
    * Idempotent.
    */
  def close(): Unit = synchronized:
    if isOpen then
      isOpen = false
      subscription.close()
      server.close()
      ActorObservation.recordDurations(false)
end ActorPage

object ActorPage:
  /** Serves a page of the system until it is closed. When the system has stopped, the page says so.
    * The threads of an open page do not keep the JVM alive.
    *
    * {{{
    * import undercroft.actor.*
    * def show(system: ActorSystem): Unit =
    *   val page = ActorPage.serve(system, port = 8558)
    *   println("open " + page.uri + ", press enter to close")
    *   try System.in.read()
    *   finally page.close()
    * }}}
    *
    * @param port
    *   0 chooses a free port
    * @throws java.lang.IllegalArgumentException
    *   if the port is not from 0 to 65535
    * @throws java.io.IOException
    *   if the port is in use or not permitted
    */
  def serve(system: ActorSystem, port: Int = 0): ActorPage =
    if system == null then throw NullPointerException("the system of an ActorPage is null")
    if port < 0 || port > 65535 then
      throw IllegalArgumentException(s"port must be from 0 to 65535, but is $port")
    val events = EventLog()
    val server = PageServer.start(port, () => PageState.json(system, events))
    ActorObservation.recordDurations(true)
    new ActorPage(system, server, system.subscribe(events.add))
end ActorPage
