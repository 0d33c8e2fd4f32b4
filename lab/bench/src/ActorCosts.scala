package undercroft.lab.bench

// How much does it cost to make an actor with a parent, to ask one from outside, and to flood one?

import java.util.concurrent.{CompletableFuture, CountDownLatch}
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import scala.concurrent.Await
import scala.concurrent.duration.*

/** A call spawns [[ActorSpawn.count]] children of one parent, sends each a message, and ends when
  * all have replied. They live until the next call.
  */
@State(Scope.Thread)
class ActorSpawn extends Measured:
  @Param(Array("undercroft", "pekko", "erlang")) var system = ""

  private var spawner: ActorCosts = uninitialized

  @Setup def open(): Unit = spawner = ActorCosts.open(system)
  @TearDown def close(): Unit = spawner.close()

  @Benchmark @OperationsPerInvocation(ActorSpawn.count) def spawnAll(): Int =
    spawned(ActorSpawn.count)

  /** The size of the article's ring. */
  @Benchmark @OperationsPerInvocation(ActorSpawn.few) def spawnFew(): Int = spawned(ActorSpawn.few)

  private def spawned(count: Int): Int =
    val answered = spawner.spawned(count)
    if answered != count then
      throw IllegalStateException(s"$answered actors of $count answered")
    answered
end ActorSpawn

object ActorSpawn:
  final val count = 20_000
  final val few = 100

/** A call asks one actor [[ActorAsk.count]] times, one after another: from a platform thread
  * outside or, in direct style, from a process. Pekko, which has none, is asked from a virtual
  * thread; Erlang's asks are calls between processes.
  */
@State(Scope.Thread)
class ActorAsk extends Measured:
  @Param(Array("undercroft", "pekko", "erlang")) var system = ""

  private var asker: ActorCosts = uninitialized

  @Setup def open(): Unit = asker = ActorCosts.open(system)
  @TearDown def close(): Unit = asker.close()

  @Benchmark @OperationsPerInvocation(ActorAsk.count) def askAll(): Int =
    checked(asker.asked(ActorAsk.count))

  @Benchmark @OperationsPerInvocation(ActorAsk.count) def askFromProcess(): Int =
    checked(asker.askedByProcess(ActorAsk.count))

  private def checked(answers: Int): Int =
    if answers != ActorAsk.count then
      throw IllegalStateException(s"$answers of ${ActorAsk.count} questions were answered")
    answers
end ActorAsk

object ActorAsk:
  final val count = 1000

/** A call sends one actor [[ActorFlood.count]] messages from four threads at once, as fast as it
  * accepts them. Our mailbox has a limit at which a sender waits; Pekko's has none.
  */
@State(Scope.Thread)
class ActorFlood extends Measured:
  @Param(Array("undercroft", "pekko")) var system = ""

  private var flooded: ActorCosts = uninitialized

  @Setup def open(): Unit = flooded = ActorCosts.open(system)
  @TearDown def close(): Unit = flooded.close()

  @Benchmark @OperationsPerInvocation(ActorFlood.count) def flood(): Long =
    val handled = flooded.flooded(ActorFlood.count)
    if handled != ActorFlood.count then
      throw IllegalStateException(s"$handled of ${ActorFlood.count} messages were handled")
    handled

object ActorFlood:
  final val count = 400_000
  final val threads = 4

trait ActorCosts extends AutoCloseable:
  /** Spawns children of one parent; returns how many of them replied. */
  def spawned(count: Int): Int

  /** Sends asks one after another; returns the number of replies. */
  def asked(count: Int): Int

  /** As [[asked]], from a process. */
  def askedByProcess(count: Int): Int

  /** Sends messages from several threads at once; returns how many were handled. */
  def flooded(count: Int): Long

object ActorCosts:
  /** Runs `send` on several threads, each for its share of `count` messages. */
  def flood(count: Int)(send: () => Unit): Unit =
    val senders = Seq.fill(ActorFlood.threads):
      Thread.ofPlatform.start: () =>
        for _ <- 1 to count / ActorFlood.threads do send()
    senders.foreach(_.nn.join())

  def open(system: String): ActorCosts = system match
    case "undercroft" => UndercroftCosts()
    case "pekko"      => PekkoCosts()
    case "erlang"     => ErlangCosts()
    case other        => throw IllegalArgumentException(s"no system of actors is called $other")

final class ErlangCosts extends ActorCosts:
  private val erlang = ErlangRing.start()
  def spawned(count: Int): Int = erlang.ask(s"spawn $count").toInt
  def asked(count: Int): Int = erlang.ask(s"ask $count").toInt
  def askedByProcess(count: Int): Int = asked(count)
  def flooded(count: Int): Long =
    throw UnsupportedOperationException(s"Erlang has no threads outside it to send $count messages")
  def close(): Unit = erlang.close()

final class UndercroftCosts extends ActorCosts:
  import undercroft.actor.*

  private val system = ActorSystem("costs")
  private val echo = spawn(Behavior.receive[Reply[Int]] { to =>
    to ! 1
    Behavior.same
  })(using system)

  def spawned(count: Int): Int =
    val answers = CountDownLatch(count)
    val child = Behavior
      .receive[Int] { _ =>
        answers.countDown()
        Behavior.same
      }
      .supervised { case _: Exception => Supervision.Restart() }
    val parent = spawn(Behavior.setup[Int]:
      for _ <- 1 to count do spawn(child) ! 1
      Behavior.receive(_ => Behavior.stopped))(using system)
    answers.await()
    parent ! 0
    count - answers.getCount.toInt

  def asked(count: Int): Int = (1 to count).map(_ => echo.ask[Int](1.minute)(identity)).sum

  def askedByProcess(count: Int): Int =
    val answers = CompletableFuture[Int]()
    spawn(Behavior.process[Int](_ => answers.complete(asked(count)): Unit))(using system): Unit
    answers.get

  def flooded(count: Int): Long =
    var handled = 0L
    val latch = CountDownLatch(1)
    val sink = spawn(
      Behavior.receive[String] { _ =>
        handled += 1
        if handled < count then Behavior.same
        else
          latch.countDown()
          Behavior.stopped
      },
      mailbox = Mailbox(overflow = Overflow.Backpressure)
    )(using system)
    ActorCosts.flood(count)(() => sink ! "")
    latch.await()
    handled
  def close(): Unit = system.close()
end UndercroftCosts

final class PekkoCosts extends ActorCosts:
  import org.apache.pekko.actor.typed.*
  import org.apache.pekko.actor.typed.scaladsl.Behaviors
  import org.apache.pekko.actor.typed.scaladsl.AskPattern.*

  private val system = Pekko.open(None)
  private given org.apache.pekko.util.Timeout = 1.minute
  private given Scheduler = system.scheduler
  private val echo = Pekko.make(
    system,
    Behaviors.receiveMessage[ActorRef[Int]] { to =>
      to ! 1
      Behaviors.same
    }
  )

  def spawned(count: Int): Int =
    val answers = CountDownLatch(count)
    val child = Behaviors
      .supervise(Behaviors.receiveMessage[Int] { _ =>
        answers.countDown()
        Behaviors.same
      })
      .onFailure[Exception](SupervisorStrategy.restart)
    val parent = Pekko.make(
      system,
      Behaviors.setup[Int]: context =>
        for _ <- 1 to count do context.spawnAnonymous(child) ! 1
        Behaviors.receiveMessage(_ => Behaviors.stopped)
    )
    answers.await()
    parent ! 0
    count - answers.getCount.toInt

  def asked(count: Int): Int =
    (1 to count).map(_ => Await.result(echo.ask[Int](identity), 1.minute)).sum

  def askedByProcess(count: Int): Int =
    val answers = CompletableFuture[Int]()
    Thread.startVirtualThread(() => answers.complete(asked(count)): Unit): Unit
    answers.get

  def flooded(count: Int): Long =
    var handled = 0L
    val latch = CountDownLatch(1)
    val sink = Pekko.make(
      system,
      Behaviors.receiveMessage[String] { _ =>
        handled += 1
        if handled < count then Behaviors.same
        else
          latch.countDown()
          Behaviors.stopped
      }
    )
    ActorCosts.flood(count)(() => sink ! "")
    latch.await()
    handled
  def close(): Unit = Pekko.close(system)
end PekkoCosts
