package outside.actor

import java.util.concurrent.ForkJoinPool
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import scala.concurrent.blocking
import scala.concurrent.duration.*
import undercroft.actor.*

/** No wake-up is lost while workers block, become idle and return. */
class WakeUpTest extends undercroft.tools.Suite:

  test("no message waits indefinitely while workers block and become idle for 5000 rounds"):
    for workers <- 1 to 2 do assertEquals(WakeUps.rounds(5_000, workers), "all handled")

  test("no ask of a virtual thread waits indefinitely for 5000 rounds"):
    for workers <- 1 to 2 do assertEquals(AskWakeUps.rounds(5_000, workers), "all answered")
end WakeUpTest

/** The long form, of a million rounds unless another number is given:
  * {{{
  * ./mill actor.outside.runMain outside.actor.WakeUps
  * }}}
  */
object WakeUps:
  def main(args: Array[String]): Unit =
    val count = args.headOption.fold(1_000_000)(_.toInt)
    for workers <- 1 to 2 do println(s"$workers workers, $count rounds: ${rounds(count, workers)}")

  /** The longest time for the messages of one round. */
  val PatienceNanos = 120_000_000_000L

  /** In each round two actors block, declare it, and send meanwhile, as do this thread and a
    * virtual thread; the next round begins when all messages are handled.
    */
  def rounds(count: Int, workers: Int): String =
    val system = ActorSystem("rounds", workers, _ => ())
    given ActorSystem = system
    val handled = AtomicLong()
    val runs = Vector(Run.Workers, Run.Workers, Run.On(ForkJoinPool.commonPool))
    val targets = runs.map(run =>
      spawn(
        Behavior.receive[Int] { _ =>
          handled.incrementAndGet(): Unit
          Behavior.same
        },
        run = run
      )
    )
    val blockers = Vector.tabulate(2)(at =>
      spawn(Behavior.receive[Int] { n =>
        targets(at) ! n
        blocking:
          targets(2) ! n
          if n % 3 == 0 then Thread.`yield`()
        targets(at) ! n
        handled.incrementAndGet(): Unit
        Behavior.same
      })
    )
    val round = AtomicLong()
    @volatile var isOver = false
    val virtual = Thread.ofVirtual.start: () =>
      var lastRound = 0L
      while !isOver do
        val now = round.get
        if now == lastRound then LockSupport.park()
        else
          lastRound = now
          targets(0) ! 1
          targets(2) ! 1
    var n = 0
    var isLost = false
    while n < count && !isLost do
      n += 1
      val expected = n * PerRound.toLong
      blockers(0) ! n
      round.incrementAndGet(): Unit
      LockSupport.unpark(virtual)
      blockers(1) ! n
      targets(1) ! n
      if n % 64 == 0 then LockSupport.parkNanos(50_000) // lets the workers park
      val from = System.nanoTime
      while handled.get < expected && !isLost do
        Thread.onSpinWait()
        if handled.get < expected then
          Thread.`yield`()
          isLost = System.nanoTime - from > PatienceNanos
    val total = handled.get
    val stand = if isLost then s"\n${system.observe.tree.show}" else ""
    isOver = true
    LockSupport.unpark(virtual)
    system.close()
    if isLost || total != n * PerRound.toLong then s"$total of ${n * PerRound} in round $n$stand"
    else "all handled"
  end rounds

  /** Four messages per blocker, two of the virtual thread, one of this thread. */
  private val PerRound = 2 * 4 + 2 + 1
end WakeUps

/** As [[WakeUps]], for asks of virtual threads, which the deputies of workers serve:
  * {{{
  * ./mill actor.outside.runMain outside.actor.AskWakeUps
  * }}}
  */
object AskWakeUps:
  def main(args: Array[String]): Unit =
    val count = args.headOption.fold(1_000_000)(_.toInt)
    for workers <- 1 to 2 do println(s"$workers workers, $count rounds: ${rounds(count, workers)}")

  /** In each round two virtual threads ask one actor, which this thread and another actor send to;
    * the next round begins when both have the replies and all messages are handled.
    */
  def rounds(count: Int, workers: Int): String =
    val system = ActorSystem("asks", workers, _ => ())
    given ActorSystem = system
    var sum = 0L // of the actor alone
    val target = spawn(Behavior.receive[(Int, Option[Reply[Long]])] { (n, reply) =>
      sum += n
      reply.foreach(_ ! sum)
      Behavior.same
    })
    val passing = spawn(Behavior.receive[Int] { n =>
      target ! (n, None)
      Behavior.same
    })
    val round = AtomicLong()
    val replies = AtomicLong()
    @volatile var isOver = false
    val askers = Vector.fill(2)(Thread.ofVirtual.start: () =>
      var lastRound = 0L
      while !isOver do
        val now = round.get
        if now == lastRound then LockSupport.park()
        else
          lastRound = now
          target.ask[Long](1.hour)(reply => (1, Some(reply))): Unit
          replies.incrementAndGet(): Unit)
    var n = 0
    var isLost = false
    while n < count && !isLost do
      n += 1
      round.incrementAndGet(): Unit
      askers.foreach(LockSupport.unpark)
      if n % 2 == 0 then passing ! 1
      if n % 3 == 0 then target ! (1, None)
      if n % 64 == 0 then LockSupport.parkNanos(50_000) // lets the workers park
      val from = System.nanoTime
      while replies.get < 2L * n && !isLost do
        Thread.`yield`()
        isLost = System.nanoTime - from > WakeUps.PatienceNanos
    val stand = if isLost then s"\n${system.observe.tree.show}" else ""
    isOver = true
    askers.foreach(LockSupport.unpark)
    val total = if isLost then 0L
    else
      system.awaitQuiescence(2.minutes): Unit
      target.ask[Long](1.hour)(reply => (0, Some(reply)))
    system.close()
    val expected = 2L * n + n / 2 + n / 3
    if isLost || total != expected then s"$total of $expected in round $n$stand" else "all answered"
  end rounds
end AskWakeUps
