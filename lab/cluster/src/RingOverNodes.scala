package undercroft.lab.cluster

import java.io.{BufferedReader, InputStreamReader}
import java.lang.management.ManagementFactory
import java.net.ServerSocket
import java.nio.file.Path
import java.util.concurrent.Semaphore
import java.util.concurrent.TimeUnit.MINUTES
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.actor.{ActorRef, ActorSystem, Behavior, Mailbox, Overflow, spawn}
import undercroft.pekko.*

/** The article's ring of a hundred actors over several JVMs, by `tell` and by reliable delivery:
  *
  * {{{
  * ./mill lab.cluster.runMain undercroft.lab.cluster.RingOverNodes 4
  * }}}
  *
  * Each JVM has the same number of neighbouring actors. So a lap with four JVMs has 96 messages
  * between actors of one JVM and four messages by TCP on loopback. Each line has the median of five
  * runs.
  */
object RingOverNodes:
  private[cluster] val actors = 100
  private val runs = 5
  private[cluster] val links = Seq("tell", "reliable")

  def main(args: Array[String]): Unit = args.headOption.flatMap(_.toIntOption) match
    case Some(count) if count >= 1 && actors % count == 0 => measure(count)
    case _ =>
      println(s"the number of JVMs, a divisor of $actors; for example 4")
      sys.exit(2)

  private def measure(count: Int): Unit =
    val free = Vector.fill(count + 1)(Using.resource(ServerSocket(0))(_.getLocalPort))
    val (reporterPort, ports) = (free.head, free.tail)
    val node = Node(Node.Serializer.Struct, reporterPort)
    val arrivals = Semaphore(0)
    val reporter = Behavior.receive[Token]: _ =>
      arrivals.release()
      Behavior.same
    val _ = node.spawn(reporter.toPekko(), "reporter")
    val processes = ports.indices.map(index => RingProcess(index, ports, reporterPort))
    try
      processes.foreach(_.awaitLine("up"))
      processes.foreach(_.connect())
      processes.foreach(_.awaitLine("connected"))
      for link <- links; (tokens, laps) <- Seq((1, 1000), (100, 100)) do
        val first = node.remote[Token](ports(0), link)
        def run(): Double =
          val start = System.nanoTime
          for _ <- 1 to tokens do first ! Token(laps.toLong * actors)
          if !arrivals.tryAcquire(tokens, 2, MINUTES) then
            throw IllegalStateException(s"of $tokens tokens, ${arrivals.availablePermits} arrived")
          (System.nanoTime - start).toDouble / tokens / laps
        val nanosPerLap = Vector.fill(2 + runs)(run()).drop(2).sorted.apply(runs / 2)
        println(
          f"$count JVMs, $link%-8s, $tokens%3d tokens: ${nanosPerLap / 1000}%8.1f us a lap, " +
            f"${nanosPerLap / actors}%7.1f ns a message"
        )
    finally
      processes.foreach(_.end())
      node.stop()
    end try
  end measure
end RingOverNodes

/** The number of messages that the token has still to make. */
final case class Token(left: Long)

/** A JVM with a part of the ring, as its starter sees it. */
private final class RingProcess(index: Int, ports: Seq[Int], reporterPort: Int):
  private val process =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val flags = ManagementFactory.getRuntimeMXBean.nn.getInputArguments.nn.asScala.toSeq
    val classPath = System.getProperty("java.class.path").nn
    val words = Seq(index, reporterPort) ++ ports
    val command = (java +: flags) ++ Seq("-Xmx512m", "-cp", classPath) ++
      ("undercroft.lab.cluster.RingPart" +: words.map(_.toString))
    ProcessBuilder(command.asJava).redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn
  private val output = BufferedReader(InputStreamReader(process.getInputStream))

  def awaitLine(line: String): Unit =
    val read = output.readLine
    if read != line then throw IllegalStateException(s"JVM $index printed $read; expected $line")

  def connect(): Unit =
    process.getOutputStream.nn.write('\n')
    process.getOutputStream.nn.flush()

  def end(): Unit = process.destroyForcibly().nn.waitFor(): Unit
end RingProcess

/** A part of the ring: its first actor is one of Pekko, with the name of the link. */
private object RingPart:
  def main(args: Array[String]): Unit =
    val index +: reporterPort +: ports = args.toSeq.map(_.toInt): @unchecked
    val node = Node(Node.Serializer.Struct, ports(index))
    println("up")
    // Its end means that the starter has ended.
    if System.in.nn.read() < 0 then Runtime.getRuntime.nn.halt(0)
    val system = ActorSystem("ring")
    for link <- RingOverNodes.links do
      val reporter = node.remote[Token](reporterPort, "reporter")
      val far = node.remote[Token](ports((index + 1) % ports.size), link)
      val next =
        if link == "tell" then far
        else
          val mailbox = Mailbox(1024, Overflow.Fail)
          ReliableDelivery.spawn(far, mailbox = mailbox)(using system, node.system)
      val second = (2 to RingOverNodes.actors / ports.size).foldLeft(next): (next, _) =>
        spawn(hop(next, reporter))(using system)
      node.spawn(hop(second, reporter).toPekko(), link): Unit
    println("connected")
    while System.in.nn.read() >= 0 do ()
    Runtime.getRuntime.nn.halt(0)
  end main

  private def hop(next: ActorRef[Token], reporter: ActorRef[Token]): Behavior[Token] =
    Behavior.receive: token =>
      if token.left == 0 then reporter ! token else next ! Token(token.left - 1)
      Behavior.same
end RingPart
