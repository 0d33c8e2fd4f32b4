package outside.pekko.shards

import com.typesafe.config.ConfigFactory
import java.nio.file.Path
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.Props
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import outside.pekko.FarProcess
import undercroft.pekko.*

/** A node of the bank, in a process of its own that may be killed. */
object VaultNode:
  /** The exit code of a node that has left the cluster, or was removed from it. */
  final val Left = 7

  /** Starts a node that joins the node with the port `seed`; `more` is configuration. */
  def start(role: String, port: Int, seed: Int, more: String): typed.ActorSystem[Nothing] =
    val config = ConfigFactory
      .parseString(s"""
        include "undercroft-cluster"
        pekko.remote.artery.canonical { hostname = 127.0.0.1, port = $port }
        pekko.loglevel = off
        pekko.stdout-loglevel = off
        pekko.coordinated-shutdown.exit-jvm = off
        pekko.cluster.roles = [$role]
        pekko.cluster.seed-nodes = ["pekko://vault@127.0.0.1:$seed"]
        pekko.cluster.failure-detector.acceptable-heartbeat-pause = 10s
        pekko.cluster.split-brain-resolver.stable-after = 2s
        pekko.cluster.split-brain-resolver.down-all-when-unstable = off
        pekko.cluster.sharding.number-of-shards = 12
        pekko.cluster.sharding.rebalance-interval = 2s
        pekko.cluster.sharding.retry-interval = 500ms
        $more
      """)
      .withFallback(ConfigFactory.load())
    val messages = UndercroftSerialization(
      MessageCodec[Vault.Account],
      MessageCodec[Vault.Teller]
    )
    typed.ActorSystem[Nothing](
      Behaviors.empty[Nothing],
      "vault",
      ActorSystemSetup(BootstrapSetup(config), messages),
      Props.empty
    )
  end start

  /** Runs until its standard input ends. A line of input lets the node leave. */
  def main(args: Array[String]): Unit =
    val Array(port, seed, more, folder, accounts, opening) = args.runtimeChecked
    given system: typed.ActorSystem[Nothing] = start(Vault.Role, port.toInt, seed.toInt, more)
    Vault.open(Path.of(folder), accounts.toInt, opening.toLong)
    system.whenTerminated.onComplete(_ => Runtime.getRuntime.halt(Left))(using
      scala.concurrent.ExecutionContext.parasitic
    )
    var input = System.in.read()
    while input >= 0 do
      if input == '\n' then system.terminate()
      input = System.in.read()
    Runtime.getRuntime.halt(0)

  /** Starts a process with a node. */
  def spawn(
      port: Int,
      seed: Int,
      more: String,
      folder: Path,
      accounts: Int,
      opening: Long
  ): FarProcess =
    val flags = Seq("-Xmx400m", "-XX:+UseSerialGC")
    val arguments = Seq(s"$port", s"$seed", more, s"$folder", s"$accounts", s"$opening")
    FarProcess.start("outside.pekko.shards.VaultNode", flags, arguments*)
end VaultNode
