package outside.actor

import java.util.concurrent.ForkJoinPool
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import scala.concurrent.blocking
import undercroft.actor.*

/** No wake-up is lost while workers block, become idle and return. */
class WakeUpTest extends undercroft.tools.Suite:

  test("no message waits indefinitely while workers block and become idle for 5000 rounds"):
    for workers <- 1 to 2 do assertEquals(WakeUps.rounds(5_000, workers), "all handled")
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
  private val PatienceNanos = 120_000_000_000L

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
