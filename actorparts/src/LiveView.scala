package undercroft.actorparts

import java.io.PrintStream
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.NANOSECONDS
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.*

/** A terminal's view of a system, drawn anew from time to time until it is closed, or the system
  * has ended. The time in handlers is taken meanwhile, for all systems of the process.
  */
final class LiveView private (
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
        out.print(LiveView.Home + LiveView.frame(now.since(before), lines))
        out.flush()
        before = now
    finally ActorSystem.timeHandlers(false)

  /** Stops drawing; the last frame stays where it is. */
  def close(): Unit =
    isClosed.countDown()
    thread.join()
end LiveView

object LiveView:
  /** To the upper left, and all below is clear: ECMA-48's CUP and ED. */
  private val Home = "\u001b[H\u001b[J"

  /** Draws until it is closed.
    *
    * @param lines
    *   actors that are shown, at most
    */
  def of(
      system: ActorSystem,
      every: FiniteDuration = 1.second,
      lines: Int = 40,
      out: PrintStream = System.out
  ): LiveView =
    if every.toNanos < 1 || lines < 1 then
      throw IllegalArgumentException(s"a view of $lines lines every $every")
    ActorSystem.timeHandlers(true)
    val view = new LiveView(system, every, lines, out)
    view.thread.start()
    view

  /** One frame: a line for all, and below it the busiest actors, in the order of their tree. */
  def frame(tree: Tree, lines: Int): String =
    val all = tree.rows
    val busiest =
      all.sortBy(row => (-row.busy, -row.perSecond, -row.waiting, row.number)).take(lines)
    val shown = busiest.map(_.number).toSet
    val waiting = all.map(_.waiting).sum
    val perSecond = all.map(_.perSecond).sum
    val title =
      f"${tree.system}: ${all.size} actors, $waiting waiting, $perSecond%.0f messages a second"
    val left = all.size - shown.size
    val more = if left > 0 then s"and $left more\n" else ""
    s"$title\n\n" + tree.copy(rows = all.filter(row => shown(row.number))).show + more
end LiveView
