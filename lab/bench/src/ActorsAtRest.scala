package undercroft.lab.bench

// What does an actor with nothing to do hold, and what does a system at rest use of a processor?

import java.util.concurrent.{CountDownLatch, TimeUnit}
import org.openjdk.jmh.annotations.*

/** A call spawns `count` children of one parent, counts what they hold of the heap, and asks each
  * of them to answer. The time is of no interest.
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
    val all = ActorsAlive.open(system, count)
    try
      val before = ActorsAlive.heapBytes()
      all.spawnAll()
      held.heldBytes = (ActorsAlive.heapBytes() - before) / count
      val answered = all.answered()
      if answered != count then
        throw IllegalStateException(s"$answered actors of $count answered")
      answered
    finally all.close()
end ActorsAlive

object ActorsAlive:
  def open(system: String, count: Int): Alive = system match
    case "undercroft" => UndercroftAlive(count)
    case "pekko"      => PekkoAlive(count)
    case other        => throw IllegalArgumentException(s"no system of actors is called $other")

  /** What the heap holds after everything that is garbage was collected. */
  private def heapBytes(): Long =
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
end ActorsAlive

/** A call is so long of a system of a thousand actors that has nothing to do, once what it did
  * before is compiled and collected.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class SystemAtRest extends Measured:
  @Param(Array("undercroft", "pekko")) var system = ""
  @Param(Array("3000")) var millis = 0

  @Benchmark def rest(used: Used): Long =
    val facts = RingCourse.idle(system, settleMillis = 2000, millis)
    used.usedPercent = 100.0 * facts.cpuMillis / facts.wallMillis
    facts.handled

/** A figure beside the time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Used:
  var usedPercent: Double = 0

/** Actors with nothing to do. */
trait Alive extends AutoCloseable:
  def spawnAll(): Unit

  /** How many of them answered. */
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
