package undercroft.actor

import java.util.concurrent.atomic.AtomicReference
import scala.util.{Failure, Success, Try}

/** Where the answer to one ask goes. Any thread; the first answer counts. */
final class Reply[R] private[actor] (private[actor] val system: ActorSystem, asked: String)
    extends ActorRef[R]:
  // Null, then who is to be told (a thread or a function), then what became of it (a Try).
  private val state = AtomicReference[AnyRef | Null](null)

  def name: String = s"the asker of $asked"

  /** Whether an answer is still wanted: not if there is one, or if who asked has given up. An actor
    * can look before it goes to any trouble.
    */
  def isOpen: Boolean = !state.get.isInstanceOf[Try[?]]

  def isStopped: Boolean = !isOpen

  def tell(message: R): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    if !end(Success(message)) then
      system.totals.refused(Reason.AskEnded)
      system.report(Event.DeadLetter(this, message, Reason.AskEnded))

  private[actor] def fail(cause: AskException): Unit =
    val _ = end(Failure(cause))

  private def end(result: Try[R]): Boolean =
    var before = state.get
    while !before.isInstanceOf[Try[?]] && !state.compareAndSet(before, result) do before = state.get
    before match
      case _: Try[?] => false
      case thread: Thread =>
        system.engine.unpark(thread)
        true
      case whenDone: Reply.WhenDone =>
        whenDone.done(result)
        true
      case _ => true

  /** Calls `done` with the result, now or when there is one. Once, and instead of `await`. */
  private[actor] def onEnd(done: Try[R] => Unit): Unit =
    val whenDone = Reply.WhenDone(done.asInstanceOf[Try[Any] => Unit])
    if !state.compareAndSet(null, whenDone) then result.foreach(done)

  private def result: Option[Try[R]] = state.get match
    case done: Try[?] => Some(done.asInstanceOf[Try[R]])
    case _            => None

  /** Waits for the result on this thread: spins for a moment, then parks. */
  private[actor] def await(withinNanos: Long): Try[R] =
    val engine = system.engine
    val from = engine.clock.nanos
    if !engine.isSimulated then spin(from, withinNanos)
    if isOpen && state.compareAndSet(null, Thread.currentThread) then
      var left = withinNanos - (engine.clock.nanos - from)
      while isOpen && left > 0 && !Thread.currentThread.isInterrupted do
        engine.park(this, left)
        left = withinNanos - (engine.clock.nanos - from)
    if isOpen then
      fail(AskTimeoutException(s"$asked did not answer within ${withinNanos / 1000} us"))
    result.getOrElse(throw IllegalStateException(s"the ask of $asked has no result"))

  private def spin(from: Long, withinNanos: Long): Unit =
    val spin = Reply.spinNanos
    while isOpen && System.nanoTime - from < spin.min(withinNanos) do Thread.onSpinWait()
    Reply.spinNanos =
      if isOpen then (spin / 2).max(Reply.MinSpinNanos) else (spin * 2).min(Reply.MaxSpinNanos)
end Reply

private[actor] object Reply:
  /** How long an ask spins before it parks, at most: what waking an idle worker takes. */
  private val MaxSpinNanos = 30_000L
  private val MinSpinNanos = 500L

  /** How long it spins now: longer where that was worth it. Racy, but benign: a hint. */
  private var spinNanos = MaxSpinNanos

  final class WhenDone(val done: Try[Any] => Unit)

/** A message that somebody wants an answer to: fails the ask where it comes to nothing. */
private[actor] final class Asked(message: Any, reply: Reply[?]) extends Notice:
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val next =
      try behavior.receive(message.asInstanceOf[T])
      catch
        case cause: Throwable =>
          keep(cell)
          throw cause
    keep(cell)
    next

  override def toString: String = s"$message"

  private def keep(cell: Cell[?]): Unit = if reply.isOpen then cell.ownSide().keepAsk(reply)

  override def shown: AnyRef | Null = message.asInstanceOf[AnyRef]
  override def kept: AnyRef | Null = this

  override def tooLate(reason: Reason): Unit =
    val asked = reply.name.stripPrefix("the asker of ")
    reply.fail(reason match
      case Reason.Stopped =>
        AskedStoppedException(s"what was asked of $asked came too late: it has stopped")
      case other => AskLostException(s"$asked did not handle what it was asked: $other"))
end Asked
