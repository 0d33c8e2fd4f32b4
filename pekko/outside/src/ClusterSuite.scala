package outside.pekko

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.typed.{Cluster, Join}
import scala.concurrent.Await
import scala.concurrent.duration.*

/** Nodes of a cluster on loopback, inside this process. No node is killed, so a node is unreachable
  * only if the machine is slow; everything that Pekko does once a second is done at once.
  */
abstract class ClusterSuite extends PekkoSuite:

  def config(more: String) = ConfigFactory
    .parseString(s"""
      $more
      pekko.cluster {
        periodic-tasks-initial-delay = 50ms
        gossip-interval = 50ms
        leader-actions-interval = 50ms
        retry-unsuccessful-join-after = 1s
        failure-detector.acceptable-heartbeat-pause = 60s
        distributed-data { gossip-interval = 100ms, notify-subscribers-interval = 50ms }
        sharding {
          retry-interval = 100ms
          distributed-data { gossip-interval = 100ms, notify-subscribers-interval = 50ms }
          coordinator-singleton {
            hand-over-retry-interval = 50ms
            min-number-of-hand-over-retries = 1200
          }
        }
      }
      pekko.remote.artery.canonical.hostname = 127.0.0.1
      pekko.remote.artery.canonical.port = 0
      pekko.remote.artery.advanced.shutdown-flush-timeout = 100ms
      pekko.loglevel = off
      pekko.stdout-loglevel = off
      pekko.coordinated-shutdown.exit-jvm = off
      pekko.cluster.sharding.number-of-shards = 20
    """)
    .withFallback(ConfigFactory.parseResources("undercroft-cluster.conf"))
    .withFallback(ConfigFactory.load())

  def node(
      setup: ActorSystemSetup = ActorSystemSetup.empty,
      more: String = ""
  ): typed.ActorSystem[Nothing] =
    typed.ActorSystem[Nothing](
      Behaviors.empty[Nothing],
      "cluster",
      setup.and(BootstrapSetup(config(more))),
      typed.Props.empty
    )

  /** Runs `body` in a cluster of `count` nodes that have found each other. */
  def cluster[A](
      count: Int,
      setup: => ActorSystemSetup = ActorSystemSetup.empty,
      more: String = ""
  )(
      body: Vector[typed.ActorSystem[Nothing]] => A
  ): A =
    val nodes = Vector.fill(count)(node(setup, more))
    try
      for node <- nodes do
        Cluster(node).manager ! Join(Cluster(nodes(0)).selfMember.address)
        until(Cluster(node).selfMember.status == MemberStatus.Up)
      for node <- nodes do
        until(Cluster(node).state.members.count(_.status == MemberStatus.Up) == count)
      body(nodes)
    finally
      // the oldest one last: it coordinates the shards that the others hand over
      for node <- nodes.reverse do
        node.terminate()
        Await.ready(node.whenTerminated, patience)
  end cluster
end ClusterSuite
