package outside.buffer

import java.io.FileInputStream
import java.net.{InetAddress, ServerSocket, Socket, StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.channels.{ServerSocketChannel, SocketChannel}
import java.nio.file.Files
import java.security.KeyStore
import java.util.concurrent.CompletableFuture
import javax.net.ssl.{
  KeyManagerFactory,
  SSLContext,
  SSLServerSocket,
  SSLSocket,
  TrustManagerFactory
}
import undercroft.buffer.*

/** One side of a connection. */
final class Peer(val source: Source, val sink: Sink, socket: java.io.Closeable, closed: => Boolean):
  def isClosed: Boolean = closed
  def close(): Unit = socket.close()

/** Connected sockets of a kind. */
final class SocketPairs(val name: String, connect: () => (Peer, Peer)):
  def use[A](body: (Peer, Peer) => A): A =
    val (client, server) = connect()
    try body(client, server)
    finally
      client.close()
      server.close()

object SocketPairs:
  private val loopback = InetAddress.getLoopbackAddress

  private def peer(socket: Socket) =
    Peer(socket.source(), socket.sink(), socket, socket.isClosed)
  private def peer(channel: SocketChannel) =
    Peer(channel.source(), channel.sink(), channel, !channel.isOpen)

  val plain: SocketPairs = SocketPairs(
    "Socket",
    () =>
      val server = ServerSocket(0, 1, loopback)
      try (peer(Socket(loopback, server.getLocalPort)), peer(server.accept()))
      finally server.close()
  )

  val channel: SocketPairs = SocketPairs(
    "SocketChannel",
    () =>
      val server = ServerSocketChannel.open().bind(java.net.InetSocketAddress(loopback, 0))
      try (peer(SocketChannel.open(server.getLocalAddress)), peer(server.accept()))
      finally server.close()
  )

  val unix: SocketPairs = SocketPairs(
    "SocketChannel of a Unix socket",
    () =>
      val path = Files.createTempDirectory("sockets").resolve("socket")
      val address = UnixDomainSocketAddress.of(path)
      val server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)
      try (peer(SocketChannel.open(address)), peer(server.accept()))
      finally
        server.close()
        Files.delete(path)
        Files.delete(path.getParent)
  )

  def tls(protocol: String, isHandshaken: Boolean = true): SocketPairs = SocketPairs(
    s"SSLSocket with $protocol",
    () =>
      val server = context.getServerSocketFactory
        .createServerSocket(0, 1, loopback)
        .asInstanceOf[SSLServerSocket]
      server.setEnabledProtocols(Array(protocol))
      try
        val client = context.getSocketFactory
          .createSocket(loopback, server.getLocalPort)
          .asInstanceOf[SSLSocket]
        val accepted = server.accept().asInstanceOf[SSLSocket]
        if isHandshaken then
          val done = CompletableFuture.runAsync(() => accepted.startHandshake())
          client.startHandshake()
          done.get(): Unit
        (peer(client), peer(accepted))
      finally server.close()
  )

  /** A key that signs itself, which both sides trust. */
  private lazy val context: SSLContext =
    val file = Files.createTempDirectory("keys").resolve("keys.p12")
    val tool = java.nio.file.Path.of(sys.props("java.home"), "bin", "keytool").toString
    val process = ProcessBuilder(
      s"$tool -genkeypair -keyalg EC -alias key -dname CN=localhost -storetype PKCS12".split(' ')*
    )
    process.command.addAll(
      java.util.List.of("-storepass", "password", "-keystore", file.toString)
    ): Unit
    val running = process.redirectErrorStream(true).start()
    val output = String(running.getInputStream.readAllBytes)
    if running.waitFor() != 0 then throw IllegalStateException(output)
    val store = KeyStore.getInstance("PKCS12")
    val stream = FileInputStream(file.toFile)
    try store.load(stream, "password".toCharArray)
    finally stream.close()
    Files.delete(file)
    Files.delete(file.getParent)
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(store, "password".toCharArray)
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(store)
    val context = SSLContext.getInstance("TLS")
    context.init(keys.getKeyManagers, trust.getTrustManagers, null)
    context
  end context
end SocketPairs
