package undercroft.actor
package persistence
package internal.cell

/** The parameters of a persistent behavior: see [[Persistent]]. */
private[persistence] final class Definition[C, E, S](
    val journal: Journal[E, S],
    val id: Long,
    val empty: S,
    val snapshotEvery: Int,
    val stashLimit: Int,
    val commandsPerCommit: Int,
    command: (S, C) => Effect[E, S],
    event: (S, E) => S,
    val recovered: S => Unit,
    val signal: PartialFunction[(S, Signal), Unit],
    number: EventNumber
):
  /** Sets the number that the handlers see. A persistence id has one live actor, so one thread
    * does.
    */
  def setNumber(value: Long): Unit = number.value = value

  /** The effect of a command on the state after `sequence` events; a null is a failure of the
    * handler.
    */
  def decide(state: S, command: C, sequence: Long): Effect[E, S] =
    setNumber(sequence)
    val decided = this.command(state, command)
    if (decided: Any) == null then
      throw NullPointerException(s"the command handler of the persistence id $id returned null")
    decided

  /** The state after `events`, which follow the event `sequence`. */
  def after(state: S, events: Vector[E], sequence: Long): S =
    var result = state
    for (event, i) <- events.iterator.zipWithIndex do
      result = next(result, event, sequence + 1 + i)
    result

  /** The state after the event `sequence`; a null is a failure of the handler. */
  def next(state: S, event: E, sequence: Long): S =
    if (event: Any) == null then
      throw NullPointerException(s"an event of the persistence id $id is null")
    setNumber(sequence)
    val result = this.event(state, event)
    if (result: Any) == null then
      throw NullPointerException(s"the event handler of the persistence id $id returned null")
    result

  /** Whether a snapshot is due when the number of events rises from `before` to `sequence`. */
  def isSnapshotDue(before: Long, sequence: Long): Boolean =
    snapshotEvery > 0 && before / snapshotEvery != sequence / snapshotEvery
end Definition
