package undercroft.tools

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import scala.util.Random

/** Ports on loopback for nodes that listen later, for example in another process. */
object FreePort:

  /** Systems give ports from 32 768 on to other sockets. */
  private val candidates = Random.shuffle((20_000 until 32_000).toVector).iterator

  /** A port that no program listens on, and that no other call in this JVM returns. */
  def take(): Int = synchronized(candidates.find(isFree).get)

  private def isFree(port: Int): Boolean =
    try
      ServerSocket(port, 1, InetAddress.getLoopbackAddress).close()
      true
    catch case _: IOException => false
