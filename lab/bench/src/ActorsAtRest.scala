package undercroft.lab.bench

// How much memory does an idle actor occupy, and how much processor time does an idle system use?

import java.util.concurrent.{CountDownLatch, TimeUnit}
import org.openjdk.jmh.annotations.*

/** A call spawns `count` children of one parent, measures their heap footprint, and asks each of
  * them for a reply. The time is not evaluated.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class ActorsAlive extends Measured:
  @Param(Array("undercroft", "pekko")) var system = ""
  @Param(Array("1000000")) var count = 0

  @Benchmark def answer(held: Held): Int =
    val actors = ActorsAlive.open(system, count)
    try
      val before = ActorsAlive.heapBytes()
      actors.spawnAll()
      held.heldBytes = (ActorsAlive.heapBytes() - before) / count
      val answered = actors.answered()
      if answered != count then
        throw IllegalStateException(s"$answered actors of $count answered")
      answered
    finally actors.close()
end ActorsAlive

object ActorsAlive:
  def open(system: String, count: Int): Alive = system match
    case "undercroft" => UndercroftAlive(count)
    case "pekko"      => PekkoAlive(count)
    case other        => throw IllegalArgumentException(s"no system of actors is called $other")

  /** The used heap after a full collection. */
  private def heapBytes(): Long =
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
end ActorsAlive

/** A call is a period in which a system of a thousand actors is idle, after its earlier work was
  * compiled and collected.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class SystemAtRest extends Measured:
  @Param(Array("undercroft", "pekko")) var system = ""
  @Param(Array("3000")) var millis = 0

  /** How long its threads have to come to rest after the messages. */
  private[bench] var settleMillis = 2000L

  @Benchmark def rest(used: Used): Long =
    val ring = Rings.open(system, 1000)
    try
      val handled = ring.pass(1, Ring.hops)
      Thread.sleep(settleMillis)
      val (start, before) = (System.nanoTime, ring.processorNanos)
      Thread.sleep(millis)
      used.usedPercent = 100.0 * (ring.processorNanos - before) / (System.nanoTime - start)
      handled
    finally ring.close()
end SystemAtRest

/** A figure beside the time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Used:
  var usedPercent: Double = 0

/** Idle actors. */
trait Alive extends AutoCloseable:
  def spawnAll(): Unit

  /** Returns how many of them replied. */
  def answered(): Int

final class UndercroftAlive(count: Int) extends Alive:
  import undercroft.actor.*

  private val system = ActorSystem("alive")
  private val spawned = CountDownLatch(1)
  private val answers = CountDownLatch(count)
  private val refs = new Array[ActorRef[Int]](count)

  def spawnAll(): Unit =
    val child = Behavior.receive[Int] { _ =>
      answers.countDown()
      Behavior.same
    }
    spawn(Behavior.setup[Int]:
      for i <- refs.indices do refs(i) = spawn(child)
      spawned.countDown()
      Behavior.ignore)(using system): Unit
    spawned.await()

  def answered(): Int =
    for ref <- refs do ref ! 1
    answers.await(2, TimeUnit.MINUTES): Unit
    count - answers.getCount.toInt

  def close(): Unit = system.close()
end UndercroftAlive

final class PekkoAlive(count: Int) extends Alive:
  import org.apache.pekko.actor.typed.*
  import org.apache.pekko.actor.typed.scaladsl.Behaviors

  private val system = Pekko.open(None)
  private val spawned = CountDownLatch(1)
  private val answers = CountDownLatch(count)
  private val refs = new Array[ActorRef[Int]](count)

  def spawnAll(): Unit =
    val child = Behaviors.receiveMessage[Int] { _ =>
      answers.countDown()
      Behaviors.same
    }
    Pekko.make(
      system,
      Behaviors.setup[Int]: context =>
        for i <- refs.indices do refs(i) = context.spawnAnonymous(child)
        spawned.countDown()
        Behaviors.ignore
    ): Unit
    spawned.await()

  def answered(): Int =
    for ref <- refs do ref ! 1
    answers.await(2, TimeUnit.MINUTES): Unit
    count - answers.getCount.toInt

  def close(): Unit = Pekko.close(system)
end PekkoAlive
