package undercroft.actor

import internal.cell.{ActorCell, ActorPaths}
import internal.observe.CellDiagnostics
import java.util.Locale

/** A snapshot of the actors of a system: parents before their children, each with its counts since
  * it was spawned. While actors run, the counts are read at different moments.
  *
  * {{{
  * def report(system: ActorSystem): Unit = println(system.observe.tree.show)
  * }}}
  *
  * @param overNanos
  *   the time span of the rates: 0 without an earlier tree to compare with
  */
final case class ActorTree(
    system: String,
    atNanos: Long,
    overNanos: Long,
    rows: Vector[ActorTree.Row]
) derives CanEqual:

  /** This tree with the rates of each actor since an earlier tree of the same system.
    *
    * {{{
    * def busiest(system: ActorSystem, earlier: ActorTree): Option[String] =
    *   system.observe.tree.since(earlier).rows.maxByOption(_.perSecond).map(_.name)
    * }}}
    */
  def since(earlier: ActorTree): ActorTree =
    if earlier.system != system then
      throw IllegalArgumentException(
        s"both trees must be of one system, but are of $system and ${earlier.system}"
      )
    val before = earlier.rows.iterator.map(row => row.number -> row).toMap
    val over = math.max(1L, atNanos - earlier.atNanos)
    copy(overNanos = over, rows = rows.map(row => row.since(before.get(row.number), over)))

  /** A text table: one actor per line, its children indented below it.
    *
    * {{{
    * val system = ActorSystem("shop")
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * println(system.observe.tree.show.linesIterator.size) // 2
    * system.close()
    * }}}
    */
  def show: String =
    val lines = ActorTree.Header +: rows.map(_.cells(overNanos > 0))
    val widths = ActorTree.Header.indices.map(i => lines.map(_(i).length).max)
    val textLines = lines.map: line =>
      // Names are left-aligned, numbers right-aligned.
      val cells = line.indices.map: i =>
        if i < ActorTree.LeftColumns then line(i).padTo(widths(i), ' ')
        else " ".repeat(widths(i) - line(i).length) + line(i)
      cells.mkString("  ").stripTrailing
    textLines.mkString("", "\n", "\n")

  /** This tree as JSON: an object with a list `actors` in the same order, where `parent` is the
    * `number` of another actor, or null.
    *
    * {{{
    * val system = ActorSystem("shop")
    * println(system.observe.tree.json) // {"system": "shop", "overNanos": 0, "actors": []}
    * system.close()
    * }}}
    */
  def json: String =
    val actors = rows.map(row => row.json(overNanos > 0))
    s"""{"system": ${ActorTree.quoted(system)}, "overNanos": $overNanos, """ +
      actors.mkString("\"actors\": [", ", ", "]}")
end ActorTree

object ActorTree:
  private val Header =
    Vector(
      "actor",
      "state",
      "waiting",
      "stashed",
      "handled",
      "failed",
      "dead",
      "restarts",
      "msg/s",
      "busy"
    )
  private val LeftColumns = 2

  /** One actor.
    *
    * @param number
    *   unique among all actors that the system ever spawned
    * @param parent
    *   the number of its parent, or -1 for a child of the system
    * @param waiting
    *   messages in its mailbox, including the current one
    * @param busyNanos
    *   the total time of its handlers while [[ActorObservation.recordDurations]] was on
    * @param perSecond
    *   messages handled per second, between two trees
    * @param busy
    *   the fraction of the time between two trees that its handlers took, at most 1. A handler
    *   counts where it ends, with its whole time
    * @param path
    *   its [[ActorRef.path]]; empty at a depth of more than 64
    */
  final case class Row(
      name: String,
      number: Long,
      parent: Long,
      depth: Int,
      state: String,
      waiting: Long,
      stashed: Long,
      handled: Long,
      failed: Long,
      dead: Long,
      restarts: Long,
      busyNanos: Long,
      perSecond: Double = 0,
      busy: Double = 0,
      path: String = ""
  ) derives CanEqual:

    private[ActorTree] def since(earlier: Option[Row], overNanos: Long): Row = copy(
      perSecond = (handled - earlier.fold(0L)(_.handled)) * 1e9 / overNanos,
      busy = ((busyNanos - earlier.fold(0L)(_.busyNanos)).toDouble / overNanos).min(1.0)
    )

    private[ActorTree] def cells(hasRates: Boolean): Vector[String] =
      val counts = Vector(waiting, stashed, handled, failed, dead, restarts).map(_.toString)
      val rates =
        if hasRates then
          Vector(
            "%.0f".formatLocal(Locale.ROOT, perSecond),
            "%.1f%%".formatLocal(Locale.ROOT, busy * 100)
          )
        else Vector("-", "-")
      Vector("  " * math.min(depth, DeepestIndent) + name, state) ++ counts ++ rates

    private[ActorTree] def json(hasRates: Boolean): String =
      val up = if parent < 0 then "null" else parent.toString
      val rates = if hasRates then s""", "perSecond": $perSecond, "busy": $busy""" else ""
      s"""{"name": ${quoted(name)}, "path": ${quoted(
          path
        )}, "number": $number, "parent": $up, "depth": $depth, """ +
        s""""state": ${quoted(state)}, "waiting": $waiting, "stashed": $stashed, """ +
        s""""handled": $handled, "failed": $failed, "dead": $dead, "restarts": $restarts, """ +
        s""""busyNanos": $busyNanos$rates}"""
  end Row

  /** The largest depth of an actor whose row has its path. */
  private val DeepestPath = 64

  /** The depth from which on actors are not indented further. */
  private val DeepestIndent = 40

  /** A JSON string: RFC 8259, section 7. */
  private[actor] def quoted(text: String): String =
    val out = StringBuilder("\"")
    for c <- text do
      out ++= (c match
        case '"'          => "\\\""
        case '\\'         => "\\\\"
        case c if c < ' ' => f"\\u${c.toInt}%04x"
        // Surrogates are escaped: an unpaired one would not survive UTF-8.
        case c if Character.isSurrogate(c) => f"\\u${c.toInt}%04x"
        case c                             => c.toString)
    out.append('"').toString

  /** A snapshot of all actors of a system. Thread-safe. */
  private[actor] def of(system: String, guardian: ActorCell[?]): ActorTree =
    val rows = Vector.newBuilder[Row]
    type Place = (depth: Int, path: String)
    def places(above: Place, children: Array[ActorCell[?]]): Int => Place =
      val segments = ActorPaths.segments(children)
      val prefix = if above.path.isEmpty then "" else s"${above.path}/"
      // The paths of a deep tree would take O(depth^2) memory.
      val hasPath = above.depth < DeepestPath
      i => (depth = above.depth + 1, path = if hasPath then prefix + segments(i) else "")
    CellDiagnostics.visit[Place](guardian, (depth = -1, path = ""))(places): (cell, place) =>
      rows += CellDiagnostics.row(cell, place.depth, place.path)
    ActorTree(system, System.nanoTime, 0, rows.result())
end ActorTree
