package outside.pekko

import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.ReentrantLock
import scala.jdk.CollectionConverters.*
import undercroft.tools.FreePort

/** The connections between nodes on loopback. Each node listens on a port of its own, and the
  * others know it by the port of a proxy, which can stop forwarding.
  *
  * The proxy knows the node behind a connection by its address: node `i` connects from 127.0.0.(2 +
  * i). A broken link closes its connections, also new ones, so bytes are lost. A stalled link keeps
  * the bytes.
  */
final class Links(count: Int):
  import Links.*
  private val loopback = InetAddress.getLoopbackAddress
  private val proxies = Vector.fill(count)(ServerSocket(0, 50, loopback))
  private val bindPorts = Vector.fill(count)(FreePort.take())
  private val connections = ConcurrentHashMap.newKeySet[Connection]()
  private val lock = ReentrantLock()
  private val changed = lock.newCondition()
  private var states = Map.empty[(Int, Int), State].withDefaultValue(State.Open)
  private var isClosed = false
  private var forwarded = 0L

  for (proxy, target) <- proxies.zipWithIndex do
    Thread.ofVirtual.start(() => accept(proxy, target)): Unit

  /** The port by which the others know a node. */
  def port(node: Int): Int = proxies(node).getLocalPort

  /** The configuration of a node. */
  def config(node: Int): String = s"""
    pekko.remote.artery.bind.hostname = 127.0.0.1
    pekko.remote.artery.bind.port = ${bindPorts(node)}
    pekko.remote.artery.advanced.tcp.outbound-client-hostname = ${address(node)}
  """

  /** The number of bytes that all links have forwarded. */
  def forwardedBytes: Long = locked(forwarded)

  /** Changes the links between the nodes of a part and the others, in both directions. */
  def set(part: Set[Int], state: State): Unit =
    locked:
      for a <- 0 until count; b <- 0 until count if part(a) != part(b) do
        states = states.updated((a, b), state)
      changed.signalAll()
    if state == State.Broken then
      for connection <- connections.asScala do
        if part(connection.from) != part(connection.to) then connection.close()

  def close(): Unit =
    locked:
      isClosed = true
      changed.signalAll()
    proxies.foreach(_.close())
    connections.asScala.foreach(_.close())

  private def address(node: Int) = s"127.0.0.${2 + node}"

  private def accept(proxy: ServerSocket, target: Int): Unit =
    try
      while true do
        val incoming = proxy.accept()
        val from = incoming.getInetAddress.getAddress()(3) - 2
        if stateOf(from, target) == State.Broken then incoming.close()
        else
          try
            val connection =
              Connection(from, target, incoming, Socket("127.0.0.1", bindPorts(target)))
            connections.add(connection): Unit
            connection.start()
          catch case _: java.io.IOException => incoming.close() // the node has ended
    catch case _: java.io.IOException => () // closed

  private def stateOf(from: Int, to: Int): State = locked(states((from, to)))

  /** Waits while the link is stalled; returns whether it is open. */
  private def passes(from: Int, to: Int, bytes: Int): Boolean = locked:
    while states((from, to)) == State.Stalled && !isClosed do changed.await()
    forwarded += bytes
    states((from, to)) == State.Open && !isClosed

  private inline def locked[A](inline body: A): A =
    lock.lock()
    try body
    finally lock.unlock()

  private final class Connection(val from: Int, val to: Int, incoming: Socket, outgoing: Socket):
    def start(): Unit =
      Thread.ofVirtual.start(() => pump(incoming, outgoing)): Unit
      Thread.ofVirtual.start(() => pump(outgoing, incoming)): Unit

    private def pump(source: Socket, target: Socket): Unit =
      try
        val bytes = new Array[Byte](65_536)
        val (input, output) = (source.getInputStream, target.getOutputStream)
        var size = input.read(bytes)
        while size >= 0 && passes(from, to, size) do
          output.write(bytes, 0, size)
          size = input.read(bytes)
      catch case _: java.io.IOException => ()
      finally
        close()
        connections.remove(this): Unit

    def close(): Unit =
      incoming.close()
      outgoing.close()
  end Connection
end Links

object Links:
  enum State derives CanEqual:
    case Open, Stalled, Broken
