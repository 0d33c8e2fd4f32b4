package undercroft.actor

/** A message that an actor handled, and why it was sent: [[ActorSystem.explain]].
  *
  * @param from
  *   the actor that sent it, or the thread
  * @param earlier
  *   what that actor was handling when it sent it, as long as it is known
  */
final case class Cause(actor: String, message: Any, from: String, earlier: Option[Cause])
    derives CanEqual:

  /** In one line, from the end to the beginning. */
  def show: String =
    s"$actor: $message, from $from" + earlier.fold("")(cause => s" <- ${cause.show}")

private[actor] object Cause:
  /** Steps that are followed back, at most. */
  private inline val Deepest = 32

  /** The last messages of an actor, the newest first. Any thread. */
  def of(cell: Cell[?], last: Int): Vector[Cause] =
    val notes = cell.causesOrNull
    if notes == null then Vector() else notes.last(last).map(of(cell, _, Deepest))

  private def of(cell: Cell[?], handled: Traced, depth: Int): Cause =
    val sender = handled.sender
    val notes = if sender == null || depth == 0 then null else sender.causesOrNull
    val earlier = if notes == null then null else notes.find(handled.parent)
    Cause(
      cell.name,
      handled.shown match
        case null  => handled.toString
        case shown => shown
      ,
      if sender == null then handled.thread else sender.name,
      if earlier == null || sender == null then None else Some(of(sender, earlier, depth - 1))
    )
end Cause

/** A message on its way that tells where it comes from. Made only where causes are recorded:
  * [[Switches.causes]].
  */
private[actor] final class Traced(
    sent: AnyRef,
    val id: Long,
    val sender: Cell[?] | Null,
    val parent: Long,
    val thread: String
) extends Envelope(sent):
  override def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    cell.ownSide().ownCauses().add(this)
    super.deliver(cell, behavior)

  override def kept: AnyRef | Null = Notice.kept(message) match
    case null => null
    case one  => around(one)
  override def aside: AnyRef = around(Notice.aside(message))

  private def around(other: AnyRef): Traced =
    if other eq message then this else Traced(other, id, sender, parent, thread)
end Traced

private[actor] object Traced:
  private val numbers = java.util.concurrent.atomic.AtomicLong(1)

  /** A message that this thread is about to send. */
  def sent(message: AnyRef): Traced =
    val thread = Thread.currentThread
    val sender = Runner.current(thread)
    val name = if sender == null then s"thread ${thread.getName}" else ""
    Traced(message, numbers.getAndIncrement, sender, currentOf(sender), name)

  /** What the runtime brings to an actor. */
  def brought(to: Cell[?], notice: Notice): Traced =
    Traced(notice, numbers.getAndIncrement, to, notice.cause, "")

  /** The number of what an actor handled last; 0 for none. */
  def currentOf(cell: Cell[?] | Null): Long =
    val notes = if cell == null then null else cell.causesOrNull
    if notes == null then 0L else notes.current
end Traced

/** What one actor handled of late. Any thread, by a lock. */
private[actor] final class Causes:
  private val notes = new Array[Traced | Null](Causes.Kept)
  private var count = 0L

  def add(one: Traced): Unit = synchronized:
    notes((count % Causes.Kept).toInt) = one
    count += 1

  def current: Long = synchronized:
    if count == 0 then 0L else notes(((count - 1) % Causes.Kept).toInt).nn.id

  def find(id: Long): Traced | Null = synchronized:
    var found: Traced | Null = null
    var i = 0
    while found == null && i < Causes.Kept do
      val one = notes(i)
      if one != null && one.id == id then found = one
      i += 1
    found

  /** The newest first. */
  def last(most: Int): Vector[Traced] = synchronized:
    Vector.tabulate(math.min(most.toLong, math.min(count, Causes.Kept)).toInt): i =>
      notes(((count - 1 - i) % Causes.Kept).toInt).nn
end Causes

private[actor] object Causes:
  /** Messages that each actor remembers: they are kept from the collector for so long. */
  inline val Kept = 32
