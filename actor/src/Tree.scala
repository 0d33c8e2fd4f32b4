package undercroft.actor

/** The actors of a system as they were at one moment: parents before their children, each with its
  * counts since it was spawned. While actors work the counts are of moments that differ.
  *
  * @param overNanos
  *   the time that rates are of: 0 without an earlier tree to compare with
  */
final case class Tree(
    system: String,
    atNanos: Long,
    overNanos: Long,
    rows: Vector[Tree.Row]
) derives CanEqual:

  /** This tree with what each actor did since an earlier one of the same system. */
  def since(earlier: Tree): Tree =
    if earlier.system != system then
      throw IllegalArgumentException(s"a tree of $system is compared with one of ${earlier.system}")
    val before = earlier.rows.iterator.map(row => row.number -> row).toMap
    val over = math.max(1L, atNanos - earlier.atNanos)
    copy(overNanos = over, rows = rows.map(row => row.since(before.get(row.number), over)))

  /** A table, for people: an actor a line, its children below it and further right. */
  def show: String =
    val lines = Tree.Header +: rows.map(_.cells(overNanos > 0))
    val widths = Tree.Header.indices.map(i => lines.map(_(i).length).max)
    val shown = lines.map: line =>
      // The name stands left, numbers stand right.
      val cells = line.indices.map: i =>
        if i < Tree.LeftColumns then line(i).padTo(widths(i), ' ')
        else " ".repeat(widths(i) - line(i).length) + line(i)
      cells.mkString("  ").stripTrailing
    shown.mkString("", "\n", "\n")

  /** The same as JSON: an object whose `actors` are a list in the same order, with `parent` as the
    * `number` of another one, or null.
    */
  def json: String =
    val actors = rows.map(row => row.json(overNanos > 0))
    s"""{"system": ${Tree.quoted(system)}, "overNanos": $overNanos, """ +
      actors.mkString("\"actors\": [", ", ", "]}")
end Tree

object Tree:
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
    *   its own among all that the system ever spawned
    * @param parent
    *   the number of its parent, or -1 for a child of the system
    * @param waiting
    *   messages in its mailbox, the one in hand among them
    * @param busyNanos
    *   what its turns took since [[ActorSystem.timeHandlers]] was switched on, for as long as it
    *   was
    * @param perSecond
    *   messages handled a second, between two trees
    * @param busy
    *   the share of the time between two trees that its turns took
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
      busy: Double = 0
  ) derives CanEqual:

    private[Tree] def since(earlier: Option[Row], overNanos: Long): Row = copy(
      perSecond = (handled - earlier.fold(0L)(_.handled)) * 1e9 / overNanos,
      busy = (busyNanos - earlier.fold(0L)(_.busyNanos)).toDouble / overNanos
    )

    private[Tree] def cells(hasRates: Boolean): Vector[String] =
      val counts = Vector(waiting, stashed, handled, failed, dead, restarts).map(_.toString)
      val rates =
        if hasRates then Vector(f"$perSecond%.0f", f"${busy * 100}%.1f%%") else Vector("-", "-")
      Vector("  " * math.min(depth, DeepestIndent) + name, state) ++ counts ++ rates

    private[Tree] def json(hasRates: Boolean): String =
      val up = if parent < 0 then "null" else parent.toString
      val rates = if hasRates then s""", "perSecond": $perSecond, "busy": $busy""" else ""
      s"""{"name": ${quoted(name)}, "number": $number, "parent": $up, "depth": $depth, """ +
        s""""state": ${quoted(state)}, "waiting": $waiting, "stashed": $stashed, """ +
        s""""handled": $handled, "failed": $failed, "dead": $dead, "restarts": $restarts, """ +
        s""""busyNanos": $busyNanos$rates}"""
  end Row

  /** Columns end somewhere: deeper actors stand below each other. */
  private val DeepestIndent = 40

  /** A text as JSON has it: RFC 8259, section 7. */
  private[actor] def quoted(text: String): String =
    val out = StringBuilder("\"")
    for c <- text do
      out ++= (c match
        case '"'          => "\\\""
        case '\\'         => "\\\\"
        case c if c < ' ' => f"\\u${c.toInt}%04x"
        // Half a character of two is none, and would not survive UTF-8.
        case c if Character.isSurrogate(c) => f"\\u${c.toInt}%04x"
        case c                             => c.toString)
    out.append('"').toString

  /** Looks at all actors of a system, whatever the depth of their tree. Any thread. */
  private[actor] def of(system: ActorSystem, guardian: Cell[?]): Tree =
    val rows = Vector.newBuilder[Row]
    val left = java.util.ArrayDeque[(cell: Cell[?], depth: Int)]()
    def push(cell: Cell[?], depth: Int): Unit =
      val family = cell.familyOrNull
      // The youngest first: so the oldest is the next one.
      if family != null then for child <- family.all do left.push((child, depth))
    push(guardian, 0)
    while !left.isEmpty do
      val next = left.pop
      rows += next.cell.row(next.depth)
      push(next.cell, next.depth + 1)
    Tree(system.name, System.nanoTime, 0, rows.result())
end Tree
