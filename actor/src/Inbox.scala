package undercroft.actor

import scala.concurrent.duration.FiniteDuration

/** The mailbox of an actor that asks for its messages: see [[Behavior.process]]. For the actor's
  * own thread. A message is counted as handled when the next one is asked for, or the process ends.
  */
final class Inbox[T] private[actor] (cell: Cell[T]):
  private var caught: AnyRef | Null = null
  private var hand: AnyRef | Null = null
  private var from = 0L

  /** Waits for the next message: of those put aside the one that waited longest, else the next of
    * the mailbox.
    *
    * @throws DeathPactException
    *   if an actor that is watched has stopped; `watchWith` makes that a message
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    */
  def receive(): T = receiveFirst { case message => message }

  /** As `receive`, but gives up when there was no message for so long. */
  def receive(within: FiniteDuration): Option[T] =
    val message = next(_ => true, cell.system.clock.nanos + within.toNanos)
    if message eq null then None else Some(message.asInstanceOf[T])

  /** Waits for the first message that `handle` is defined for, and handles it. Those before it are
    * put aside, in their order, and count as stashed.
    *
    * @throws StashFullException
    *   if [[Context.StashLimit]] messages are aside already
    */
  def receiveFirst[A](handle: PartialFunction[T, A]): A =
    handle(next(
      message => handle.isDefinedAt(message.asInstanceOf[T]),
      Inbox.Never
    ).asInstanceOf[T])

  /** The first message that is wanted, in hand, or null when the time is over. */
  private def next(isWanted: AnyRef => Boolean, until: Long): AnyRef | Null =
    end(isHandled = true)
    cell.system.engine.pass()
    hand = takeFirst(cell.stashOrNull, isWanted)
    var isFound = hand ne null
    var isLate = false
    while !isFound && !isLate do
      val message = if cell.hasDueNow then null else caughtNext()
      if message ne null then
        hand = message
        isFound = isWanted(message)
        if !isFound then
          cell.putAside(message)
          end(isHandled = false)
      else if cell.hasDueNow then
        hand = takeFirst(cell.stashOrNull, isWanted)
        isFound = hand ne null
      else if !cell.hasMail then
        isLate = until != Inbox.Never && cell.system.clock.nanos - until >= 0
        if !isLate then await(until)
    val found = hand
    if found ne null then from = Timing.begin()
    if found eq null then null else Retried.inner(found)
  end next

  private def takeFirst(stash: Stash | Null, isWanted: AnyRef => Boolean): AnyRef | Null =
    val found =
      if stash == null then null
      else stash.takeFirst(message => isWanted(Retried.inner(message)))
    if found ne null then cell.countAgainRelease()
    found

  /** The next message that waits, or null; commands and notices are dealt with on the way. */
  private def caughtNext(): AnyRef | Null =
    caught = null
    if cell.step() then
      // A notice that brought no message is done with.
      if caught eq null then cell.countOtherRelease()
    caught

  /** Takes a message from the actor. */
  private[actor] def catchIt(message: T): Unit = caught = message.asInstanceOf[AnyRef]

  /** The message that it is at, or null. */
  private[actor] def inHand: AnyRef | Null = hand

  /** Counts the message in hand, if there is one, as dealt with: handled, unless it failed or is
    * put aside.
    */
  private[actor] def end(isHandled: Boolean): Unit =
    Timing.end(cell, from)
    from = 0
    if hand ne null then
      hand = null
      cell.countDoneRelease(isHandled)

  private def await(until: Long): Unit =
    if Thread.interrupted() then throw InterruptedException(s"${cell.name} was interrupted")
    if !cell.isNotifiedVolatile then
      val system = cell.system
      val left =
        if until == Inbox.Never then Engine.Forever else math.max(0L, until - system.clock.nanos)
      cell.isAtWork = false
      system.engine.park(this, left)
      cell.isAtWork = true
    cell.lowerNotifiedVolatile()
end Inbox

private[actor] object Inbox:
  val Never: Long = Long.MinValue

  /** Leaves the process of an actor that stops or begins anew. */
  object Leave extends scala.util.control.ControlThrowable
