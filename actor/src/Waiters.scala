package undercroft.actor

import java.util.ArrayList

/** Who waits for room in one mailbox: threads that are parked, and actors that get no turn. Any
  * thread, by one lock for all of them, which also keeps who waits for whom: for room, or for the
  * answer to an ask.
  */
private[actor] final class Waiters:
  private val threads = ArrayList[Thread](2)
  private val actors = ArrayList[Cell[?]](2)
  @volatile private var isEmpty = true

  def isEmptyVolatile: Boolean = isEmpty

  /** Waits until `target` has room, or has stopped: `sender` by being muted, if it is an actor
    * without a thread of its own, else the thread by being parked. Returns null, or why it must not
    * wait, in words.
    */
  def waitFor(target: Cell[?], sender: Cell[?] | Null): String | Null =
    val thread = Thread.currentThread
    val isMuted = sender != null && !sender.runner.keepsThread
    val own = if sender == null then null else sender.ownSide()
    val (asked, reply) = if own == null then (null, null) else (own.waitsFor, own.waitsUntil)
    val problem = enter(target, sender, if isMuted then null else thread)
    if problem != null then problem
    else if isMuted then
      // The room may have come before it was noted that somebody waits.
      if target.hasRoom then release(target)
      null
    else
      try
        // Who stops it may be whom it waits for, and wakes it only where it is not notified.
        def isToStop = sender != null && {
          sender.lowerNotifiedVolatile()
          sender.isToldToStop
        }
        while isWaiting(thread) && !target.hasRoom && !thread.isInterrupted && !isToStop do
          target.system.engine.park(this, Engine.Forever)
        if thread.isInterrupted && !target.hasRoom then
          s"${thread.getName} was interrupted while it waited for room in the mailbox of ${target.name}"
        else null
      finally leave(thread, sender, asked, reply)
  end waitFor

  private def enter(target: Cell[?], sender: Cell[?] | Null, thread: Thread | Null): String | Null =
    Waiters.lock.synchronized:
      val cycle = if sender == null then null else Waiters.cycle(sender, target)
      if cycle == null then
        val isHere = sender != null && (sender.waitsFor eq target)
        if sender != null then
          sender.ownSide().waitsFor = target
          sender.ownSide().waitsUntil = null
        if thread != null then threads.add(thread): Unit
        else if sender != null then
          sender.mute()
          // Those that wait may be many: one may be here twice, and is let go on once.
          if !isHere then actors.add(sender): Unit
        isEmpty = false
      cycle

  private def isWaiting(thread: Thread): Boolean =
    Waiters.lock.synchronized(threads.contains(thread))

  /** Of whom it asked something it waits for the answer still. */
  private def leave(
      thread: Thread,
      sender: Cell[?] | Null,
      asked: Cell[?] | Null,
      reply: Reply[?] | Null
  ): Unit = Waiters.lock.synchronized:
    threads.remove(thread): Unit
    if sender != null then
      sender.ownSide().waitsFor = if reply == null then null else asked
      sender.ownSide().waitsUntil = reply

  /** Lets everybody go on, if there is room still: who found some may have been slow to come here,
    * and those who go on may send once more each, whatever the limit.
    */
  def release(target: Cell[?]): Unit =
    var parked = new Array[Thread](0)
    var muted = new Array[Cell[?]](0)
    Waiters.lock.synchronized:
      if target.hasRoom then
        parked = threads.toArray(parked)
        muted = actors.toArray(muted)
        for actor <- muted do
          val side = actor.ownSide()
          if side.waitsFor eq target then side.waitsFor = null
        threads.clear()
        actors.clear()
        isEmpty = true
    for thread <- parked do target.system.engine.unpark(thread)
    for actor <- muted do if actor.pushCommand(Command.Unmute()) then actor.wake()
end Waiters

private[actor] object Waiters:
  val lock: Object = Object()

  /** The circle of actors that `sender` would close by waiting for `target`, or null. */
  private def circle(sender: Cell[?], target: Cell[?]): String | Null =
    val names = StringBuilder(sender.name)
    var each: Cell[?] | Null = target
    while each != null && (each ne sender) do
      val _ = names.append(" waits for ").append(each.name)
      each = each.waitsFor
    if each == null then null else s"$names waits for ${sender.name}"

  private def cycle(sender: Cell[?], target: Cell[?]): String | Null =
    val names = circle(sender, target)
    if names == null then null
    else s"the mailbox of ${target.name} is full, and no one would make room: $names"

  /** Runs `body`, which asks `target` and waits for the answer, and notes that `asker` does. In a
    * circle of such waits nothing is run.
    *
    * @throws AskCycleException
    *   with the names of the circle
    */
  def asking[A](asker: Cell[?], target: Cell[?], reply: Reply[?])(body: => A): A =
    val side = asker.ownSide()
    val (before, until) = lock.synchronized:
      val names = circle(asker, target)
      if names != null then
        throw AskCycleException(s"an ask of ${target.name} would wait for ever: $names")
      val was = (side.waitsFor, side.waitsUntil)
      side.waitsFor = target
      side.waitsUntil = reply
      was
    try body
    finally
      lock.synchronized:
        side.waitsFor = before
        side.waitsUntil = until
  end asking
end Waiters
