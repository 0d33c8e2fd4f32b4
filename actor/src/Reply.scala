package undercroft.actor

import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.Future
import scala.util.{Failure, Success, Try}

/** The reference to which the reply of one ask is sent. Thread-safe; the first reply counts.
  *
  * {{{
  * enum Job:
  *   case Price(item: String, to: Reply[Int])
  *
  * def prices: Behavior[Job] = Behavior.receive:
  *   case Job.Price(item, to) =>
  *     if to.isOpen then to ! item.length // the asker still waits
  *     Behavior.same
  * }}}
  */
final class Reply[R] private[actor] (private[actor] val system: ActorSystem, targetName: String)
    extends ActorRef[R]:
  // Null at first; then the waiter, a Thread or a WhenDone; then the result, a Try.
  private val state = AtomicReference[AnyRef | Null](null)

  def name: String = s"the asker of $targetName"

  /** Whether a reply is still expected: false after a reply, a timeout, or an interrupt of the
    * thread that asked. An actor can check it before expensive work.
    *
    * {{{
    * def reports(compute: Int => String): Behavior[(Int, Reply[String])] = Behavior.receive:
    *   case (number, reply) =>
    *     if reply.isOpen then reply ! compute(number) // else the asker no longer waits
    *     Behavior.same
    * }}}
    */
  def isOpen: Boolean = !state.get.isInstanceOf[Try[?]]

  def isStopped: Boolean = !isOpen

  def whenStopped: Future[Unit] =
    throw IllegalArgumentException(s"$name is a reply, not an actor, and cannot be watched")

  private var hash = 0

  override def hashCode: Int =
    if hash == 0 then hash = system.engine.hashOf(this) // racy, but benign: always the same value
    hash

  def tell(message: R): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    if !end(Success(message)) then
      system.observe.totals.refused(DeadLetterReason.AskEnded)
      system.report(ActorEvent.DeadLetter(this, message, DeadLetterReason.AskEnded))

  private[actor] def fail(cause: AskException): Unit =
    val _ = end(if system.failure.isBegun then system.failure.result else Failure(cause))

  /** Called once the ask has ended; set by a runtime that gave this reply an address of its own. */
  @volatile private var release: Runnable | Null = null

  /** Lets `action` run when the ask has ended, perhaps twice, on any thread. */
  private[undercroft] def onRelease(action: Runnable): Unit =
    release = action
    if !isOpen then action.run() // it ended before, or while `release` was set

  /** The asker of another runtime that gets the result of this reply, or null. */
  private[undercroft] def passesTo: ActorRef[Any] | Null = release match
    case passing: Reply.Passing => passing.to
    case _                      => null

  private def end(result: Try[R]): Boolean =
    var before = state.get
    while !before.isInstanceOf[Try[?]] && !state.compareAndSet(before, result) do before = state.get
    val action = release
    if action != null then action.run()
    before match
      case _: Try[?] => false
      case thread: Thread =>
        system.engine.unpark(thread)
        true
      case whenDone: Reply.WhenDone =>
        whenDone.done(result)
        true
      case _ => true

  /** Calls `done` with the result, now or once there is one. Call it at most once, instead of
    * `await`.
    */
  private[actor] def onEnd(done: Try[R] => Unit): Unit =
    val whenDone = Reply.WhenDone(done.asInstanceOf[Try[Any] => Unit])
    if !state.compareAndSet(null, whenDone) then result.foreach(done)

  private def result: Option[Try[R]] = state.get match
    case done: Try[?] => Some(done.asInstanceOf[Try[R]])
    case _            => None

  /** Registers this virtual thread as the waiter, before it sends its ask. */
  private[actor] def awaitLater(): Unit = state.compareAndSet(null, Thread.currentThread): Unit

  /** Whether `thread` is the registered waiter. */
  private[actor] def isAwaitedBy(thread: Thread): Boolean = state.get eq thread

  /** Waits for the result on this thread: spins briefly, unless it has registered, then parks. A
    * virtual thread that spins would occupy its carrier, which another one may need for the reply.
    */
  private[actor] def await(withinNanos: Long, from: Long): Try[R] =
    val engine = system.engine
    val thread = Thread.currentThread
    if !engine.isSimulated && !thread.isVirtual then spin(from, withinNanos)
    if isAwaitedBy(thread) || state.compareAndSet(null, thread) then
      var left = withinNanos - (engine.clock.nanos - from)
      while isOpen && left > 0 && !Thread.currentThread.isInterrupted && !system.failure.isOver do
        system.park(this, left)
        left = withinNanos - (engine.clock.nanos - from)
    if isOpen then
      if system.failure.isOver then end(system.failure.result): Unit
      else if Thread.currentThread.isInterrupted then interrupted() else timeOut(withinNanos)
    result.getOrElse(throw IllegalStateException(s"the ask of $targetName has no result"))

  /** Ends the ask of this thread, which is interrupted, unless there is a reply meanwhile. */
  private def interrupted(): Unit =
    if end(Failure(interruption)) then
      val _ = Thread.interrupted()

  private[actor] def interruption: InterruptedException =
    InterruptedException(s"the ask of $targetName was interrupted")

  /** Ends the ask because its system has stopped, and with it the clock of the timeout. */
  private[actor] def stopWithSystem(): Unit =
    fail(AskTimeoutException(s"$targetName did not answer before ${system.name} stopped"))

  private[actor] def timeOut(withinNanos: Long): Unit =
    fail(AskTimeoutException(s"$targetName did not answer within ${withinNanos / 1000} us"))

  private def spin(from: Long, withinNanos: Long): Unit =
    val isProbe = Reply.failedSpins >= Reply.ProbeInterval
    val spin = if isProbe then Reply.ProbeNanos else Reply.spinNanos
    while isOpen && System.nanoTime - from < spin.min(withinNanos) do Thread.onSpinWait()
    Reply.failedSpins = if isOpen && !isProbe then Reply.failedSpins + 1 else 0
    Reply.spinNanos =
      if isOpen then (Reply.spinNanos / 2).max(Reply.MinSpinNanos)
      else (spin * 2).min(Reply.MaxSpinNanos)
end Reply

object Reply:
  /** The longest time that an ask spins before it parks: about the time to wake an idle worker. */
  private val MaxSpinNanos = 30_000L
  private val MinSpinNanos = 500L

  /** The present spin time: it grows while spinning succeeds. Racy, but benign: a hint. */
  private var spinNanos = MaxSpinNanos

  /** After this number of asks in turn whose spin failed, one ask spins for [[ProbeNanos]]. If the
    * caller and the worker both park, each wakes later than the other one spins, so the spin of
    * neither would succeed again. The probe is longer than the time to wake a worker; it costs at
    * most 3 us for each ask.
    */
  private val ProbeInterval = 32
  private val ProbeNanos = 100_000L

  /** The asks in turn whose spin failed. Racy, but benign. */
  private var failedSpins = 0

  /** A reply in `system` that passes its result to `to`, an actor of another runtime that ends the
    * ask there.
    */
  private[undercroft] def passing(to: ActorRef[Any], system: ActorSystem): Reply[Any] =
    val reply = new Reply[Any](system, to.name)
    reply.release = Passing(to)
    reply.onEnd:
      case Success(result) => to ! result
      case Failure(_)      => () // the asker's own time-out ends the ask
    reply

  /** The target of a passing reply, in its field `release`: other replies need no further field. */
  private final class Passing(val to: ActorRef[Any]) extends Runnable:
    def run(): Unit = ()

  private[actor] final class WhenDone(val done: Try[Any] => Unit)
end Reply
