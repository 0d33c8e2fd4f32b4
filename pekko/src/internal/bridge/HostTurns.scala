package undercroft.pekko
package internal.bridge

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean
import org.apache.pekko.actor.{typed, NoSerializationVerificationNeeded}
import undercroft.actor.internal.dispatch.{HelperThreads, QueueingExecutor}

/** The turns of an actor of Undercroft that runs inside a Pekko actor: the executor of its run
  * model.
  *
  * Turns that other threads cause (messages, timers, futures) wait here; a [[HostTurns.Wake]] in
  * the mailbox of the Pekko actor lets it run them. Once the Pekko actor has stopped, other threads
  * run the remaining ones, as its mailbox is closed.
  */
private[pekko] final class HostTurns(address: typed.ActorRef[Any]) extends QueueingExecutor:
  private val tasks = ConcurrentLinkedQueue[Runnable]()
  private val isWoken = AtomicBoolean(false)

  /** The thread of the Pekko actor while it is in `within`: turns that it causes need no wake. */
  @volatile private var thread: Thread | Null = null
  @volatile private var isClosed = false

  /** Whether turns may run; if not, they wait. Pekko actor only. */
  var isOpen = true

  def execute(task: Runnable): Unit =
    tasks.add(task)
    if isClosed then runRemaining()
    else if thread ne Thread.currentThread then wake()

  /** Runs `body`, then the turns that are due. Pekko actor only. */
  def within[A](body: => A): A =
    // At each message: a full mailbox of Pekko may have dropped the wake.
    isWoken.set(false)
    thread = Thread.currentThread
    val result =
      try
        val result = body
        runDue()
        result
      finally thread = null
    if isOpen && !tasks.isEmpty then wake()
    result

  /** Runs the turns that are due. Only inside `within`. */
  def runDue(): Unit =
    var count = 0
    while count < HostTurns.AtOnce do
      val task = if isOpen then tasks.poll else null
      if task ne null then
        task.run()
        count += 1
      else count = HostTurns.AtOnce

  /** The Pekko actor got a [[HostTurns.Wake]]. */
  def awake(): Unit = within(())

  /** The Pekko actor has stopped. */
  def close(): Unit =
    isClosed = true
    if !tasks.isEmpty then runRemaining()

  private def wake(): Unit = if isWoken.compareAndSet(false, true) then address ! HostTurns.Wake

  private def runRemaining(): Unit =
    HelperThreads.execute: () =>
      var task = tasks.poll
      while task ne null do
        task.run()
        task = tasks.poll
end HostTurns

private[pekko] object HostTurns:
  /** The most turns before Pekko may run other actors on this thread. */
  private val AtOnce = 16

  /** A message of a Pekko actor to itself: turns are due. */
  object Wake extends NoSerializationVerificationNeeded
