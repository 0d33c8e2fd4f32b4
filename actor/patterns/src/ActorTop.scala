package undercroft.actor.patterns

import java.io.PrintStream
import java.util.Locale
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.NANOSECONDS
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.*

/** A terminal view of an actor system, redrawn periodically until it is closed or the system has
  * stopped. Meanwhile the time in handlers is measured, for all systems of the process.
  */
final class ActorTop private (
    system: ActorSystem,
    every: FiniteDuration,
    lines: Int,
    out: PrintStream
) extends AutoCloseable:
  private val isClosed = CountDownLatch(1)
  private val thread = Thread.ofPlatform.daemon.name(s"${system.name}-view").unstarted(() => draw())

  private def draw(): Unit =
    try
      var before = system.tree
      while !isClosed.await(every.toNanos, NANOSECONDS) && !system.isStopped do
        val now = system.tree
        out.print(ActorTop.Home + ActorTop.frame(now.since(before), lines))
        out.flush()
        before = now
    finally ActorSystem.recordHandlerTimes(false)

  /** Stops drawing; the last frame stays on the terminal. */
  def close(): Unit =
    isClosed.countDown()
    thread.join()
end ActorTop

object ActorTop:
  /** Moves the cursor to the upper left and clears the screen from there: ECMA-48's CUP and ED. */
  private val Home = "\u001b[H\u001b[J"

  /** Opens a view that redraws until it is closed.
    *
    * {{{
    * import undercroft.actor.*
    * def show(system: ActorSystem): Unit =
    *   val view = ActorTop.of(system, lines = 20)
    *   try System.in.read()
    *   finally view.close()
    * }}}
    *
    * @param lines
    *   the most actors to show
    */
  def of(
      system: ActorSystem,
      every: FiniteDuration = 1.second,
      lines: Int = 40,
      out: PrintStream = System.out
  ): ActorTop =
    if every.toNanos < 1 then
      throw IllegalArgumentException(s"every must be at least 1 ns, but is $every")
    if lines < 1 then throw IllegalArgumentException(s"lines must be at least 1, but is $lines")
    if system == null then throw NullPointerException("the system of an ActorTop is null")
    if out == null then throw NullPointerException("the output of an ActorTop is null")
    ActorSystem.recordHandlerTimes(true)
    val view = new ActorTop(system, every, lines, out)
    view.thread.start()
    view

  /** Returns one frame: a line of totals, and below it the busiest actors in the order of the tree.
    *
    * {{{
    * import undercroft.actor.*
    * val system = ActorSystem("shop")
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * println(ActorTop.frame(system.tree, lines = 10).linesIterator.next())
    * system.close()
    * }}}
    */
  def frame(tree: ActorTree, lines: Int): String =
    val rows = tree.rows
    val busiest =
      rows.sortBy(row => (-row.busy, -row.perSecond, -row.waiting, row.number)).take(lines)
    val busiestNumbers = busiest.map(_.number).toSet
    val waiting = rows.map(_.waiting).sum
    val perSecond = rows.map(_.perSecond).sum
    val actors = if rows.size == 1 then "1 actor" else s"${rows.size} actors"
    val rate = "%.0f".formatLocal(Locale.ROOT, perSecond)
    val title = s"${tree.system}: $actors, $waiting waiting, $rate messages a second"
    val left = rows.size - busiestNumbers.size
    val footer = if left > 0 then s"and $left more\n" else ""
    s"$title\n\n" + tree.copy(rows = rows.filter(row => busiestNumbers(row.number))).show + footer
end ActorTop
