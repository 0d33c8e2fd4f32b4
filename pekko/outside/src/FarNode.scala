package outside.pekko

import com.typesafe.config.ConfigFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.Props
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import org.apache.pekko.cluster.typed.{Cluster, Join}
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.pekko.*

enum Entry derives CanEqual:
  case Put(number: Long)
  case Report(to: Reply[Booked])

/** The numbers that a book got: the first, the last, their count, and the process that it is in.
  *
  * @param jumpedTo
  *   the last number that did not follow the previous one, or 0
  */
final case class Booked(first: Long, last: Long, count: Long, process: Long, jumpedTo: Long = 0)
    derives CanEqual:
  def isConsecutive: Boolean = count == 0 || last - first + 1 == count

/** A node in a process of its own, with a book and entities that are books. */
object FarNode:
  val key: EntityTypeKey[Entry] = EntityTypeKey[Entry]("Book")

  /** Prints a line if this is a process of its own. */
  private var note: String => Unit = _ => ()

  def setup: ActorSystemSetup =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Entry], MessageCodec[Booked]))

  def book(name: String): Behavior[Entry] = Behavior.setup:
    var booked = Booked(0, 0, 0, ProcessHandle.current.pid)
    Behavior
      .receive[Entry]:
        case Entry.Put(number) =>
          val first = if booked.count == 0 then number else booked.first
          val isJump = booked.count > 0 && number != booked.last + 1
          val jumpedTo = if isJump then number else booked.jumpedTo
          booked = Booked(first, number, booked.count + 1, booked.process, jumpedTo)
          Behavior.same
        case Entry.Report(to) =>
          to ! booked
          Behavior.same
      .onSignal { case Signal.PostStop =>
        note(s"PostStop $name: ${booked.last}")
        Behavior.same
      }

  /** Starts a node; `more` is configuration. */
  def start(
      port: Int,
      seed: Option[Int],
      more: String = ""
  ): typed.ActorSystem[Nothing] =
    val config = ConfigFactory
      .parseString(more)
      .withFallback(ConfigFactory.parseString(s"""
        pekko.remote.artery.canonical.hostname = 127.0.0.1
        pekko.remote.artery.canonical.port = $port
        pekko.loglevel = off
        pekko.stdout-loglevel = off
        pekko.coordinated-shutdown.exit-jvm = off
        pekko.cluster.sharding.number-of-shards = 20
        pekko.cluster.failure-detector.acceptable-heartbeat-pause = 5s
        pekko.cluster.split-brain-resolver.stable-after = 2s
        pekko.cluster.split-brain-resolver.down-all-when-unstable = off
      """))
      .withFallback(ConfigFactory.parseResources("undercroft-cluster.conf"))
      .withFallback(ConfigFactory.load())
    val system = typed.ActorSystem[Nothing](
      Behaviors.empty[Nothing],
      "cluster",
      setup.and(BootstrapSetup(config)),
      Props.empty
    )
    given typed.ActorSystem[?] = system
    ClusterSharding(system).init(Entity(key)(entity => book(entity.entityId).toPekko()))
    system.systemActorOf(book("alone").toPekko(), "book", Props.empty): Unit
    val own = Cluster(system).selfMember.address
    Cluster(system).manager ! Join(seed.fold(own)(seed => own.copy(port = Some(seed))))
    system
  end start

  /** The exit code of a process whose actor system has ended. */
  final val Ended = 7

  /** Runs until its standard input ends, or the actor system. A line of input lets the node leave.
    */
  def main(args: Array[String]): Unit =
    note = println(_)
    val system = start(args(0).toInt, Some(args(1).toInt), args.lift(2).getOrElse(""))
    system.whenTerminated.onComplete(_ => Runtime.getRuntime.halt(Ended))(using
      scala.concurrent.ExecutionContext.parasitic
    )
    var input = System.in.read()
    while input >= 0 do
      if input == '\n' then system.terminate()
      input = System.in.read()
    Runtime.getRuntime.halt(0)

  /** Starts a process with a node; its output is written to a file. */
  def spawn(port: Int, seed: Int, more: String = ""): FarProcess =
    val flags = Seq("-Xmx256m", "-XX:TieredStopAtLevel=1")
    FarProcess.start("outside.pekko.FarNode", flags, port.toString, seed.toString, more)
end FarNode

/** A process with a node. */
final class FarProcess(process: Process, output: Path):
  def pid: Long = process.pid
  private def lines: List[String] = Files.readAllLines(output).asScala.toList

  /** The books that have stopped here, and the last number of each. */
  def stopped: Map[String, Long] =
    val Line = "PostStop (.*): (\\d+)".r
    lines.collect { case Line(name, last) => name.nn -> last.nn.toLong }.toMap

  /** As `kill -9`. */
  def kill(): Unit =
    process.destroyForcibly()
    process.waitFor(60, TimeUnit.SECONDS): Unit

  def isAlive: Boolean = process.isAlive

  /** Lets the node leave the cluster; does nothing if the process has ended. */
  def leave(): Unit =
    try
      process.getOutputStream.write('\n')
      process.getOutputStream.flush()
    catch case _: java.io.IOException => ()

  /** Waits for the end of the process. */
  def exitCode: Option[Int] =
    Option.when(process.waitFor(300, TimeUnit.SECONDS))(process.exitValue)
end FarProcess

object FarProcess:
  /** Starts a JVM with the class path of this one; its output is written to a file. */
  def start(mainClass: String, flags: Seq[String], arguments: String*): FarProcess =
    val packages =
      Seq("java.base/sun.nio.ch=ALL-UNNAMED", "java.base/jdk.internal.misc=ALL-UNNAMED")
    val command = Seq("--enable-native-access=ALL-UNNAMED") ++ flags ++
      packages.flatMap(Seq("--add-opens", _)) ++
      Seq("-cp", System.getProperty("java.class.path"), mainClass) ++ arguments
    val output = Files.createTempFile("far-node", ".log")
    output.toFile.deleteOnExit()
    val process = undercroft.tools.ChildJvm.builder(command*).redirectErrorStream(true)
      .redirectOutput(output.toFile).start()
    FarProcess(process, output)
