package outside.pekko

import com.typesafe.config.ConfigFactory
import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}
import java.util.concurrent.locks.LockSupport
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.AskPattern.{Askable, schedulerFromActorSystem}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.cluster.sharding.ShardRegion.ClusterShardingStats
import org.apache.pekko.cluster.sharding.typed.GetClusterShardingStats
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, EntityTypeKey}
import org.apache.pekko.util.Timeout
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Try
import undercroft.actor.{ActorEvent, ActorSystem}

/** A Pekko system for each test. */
abstract class PekkoSuite extends undercroft.tools.Suite:
  val patience: FiniteDuration = 4.minutes

  /** Runs `body` in a Pekko system, which then ends. */
  def pekko[A](body: typed.ActorSystem[Any] ?=> A): A =
    val system = typed.ActorSystem[Any](
      Behaviors.receive[Any]((context, message) =>
        message match
          case spawn: Spawn[?] =>
            spawn.in(context)
            Behaviors.same
          case _ => Behaviors.unhandled
      ),
      "pekko",
      ConfigFactory.parseString(
        "pekko.log-dead-letters = off, pekko.stdout-loglevel = off"
      ).withFallback(ConfigFactory.load())
    )
    try body(using system)
    finally
      system.terminate()
      Await.ready(system.whenTerminated, patience): Unit

  final class Spawn[T](behavior: typed.Behavior[T], name: String):
    private val ref = java.util.concurrent.CompletableFuture[typed.ActorRef[T]]()
    def in(context: typed.scaladsl.ActorContext[Any]): Unit =
      ref.complete(context.spawn(behavior, name)): Unit
    def result: typed.ActorRef[T] = ref.get(60, TimeUnit.SECONDS)

  private var number = 0

  /** Spawns a child of Pekko's guardian. */
  def start[T](behavior: typed.Behavior[T])(using
      system: typed.ActorSystem[Any]
  ): typed.ActorRef[T] =
    number += 1
    val spawn = Spawn(behavior, s"actor-$number")
    system ! spawn
    spawn.result

  final class Notes:
    private val notes = ConcurrentLinkedQueue[String]()
    def add(note: Any): Unit = notes.add(s"$note"): Unit
    def all: List[String] = notes.asScala.toList

    /** Waits until there are `count` notes. */
    def take(count: Int): List[String] =
      until(notes.size >= count)
      all

  /** Runs `body` with a system of senders whose dead letters and failures are noted. */
  def noting[A](notes: Notes)(body: ActorSystem ?=> A): A =
    val system = ActorSystem(
      "sender",
      listener = {
        case ActorEvent.DeadLetter(_, message, reason) => notes.add(s"$message $reason")
        case ActorEvent.Failed(_, cause, _)            => notes.add(s"$cause")
        case _                                         => ()
      }
    )
    try body(using system)
    finally system.close()

  def until(condition: => Boolean): Unit =
    val end = System.nanoTime + patience.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(1_000_000)
    assert(condition, "it did not happen in time")

  /** Waits until entities may start on `count` nodes. A node that is up may not have registered its
    * region yet; until then all entities start on the other nodes.
    */
  def untilSharded(node: typed.ActorSystem[?], key: EntityTypeKey[?], count: Int): Unit =
    given typed.ActorSystem[?] = node
    given Timeout = 5.seconds
    def statistics = ClusterSharding(node).shardState.ask[ClusterShardingStats](
      GetClusterShardingStats(key, 5.seconds, _)
    )
    until(Try(Await.result(statistics, patience).regions.size == count).getOrElse(false))
end PekkoSuite
