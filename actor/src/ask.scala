package undercroft.actor

import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.FiniteDuration

extension [T](ref: ActorRef[T])

  /** Sends a message that says where the answer is to go, and waits for the answer.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    *
    * enum Counter:
    *   case Add(n: Int)
    *   case Get(to: ActorRef[Int])
    *
    * def total(counter: ActorRef[Counter]): Int = counter.ask(1.second)(Counter.Get(_))
    * }}}
    *
    * It blocks: for threads of your own, and for actors on a thread of their own.
    *
    * @throws AskTimeoutException
    *   if there is no answer in time; the one who answers then finds the reply not `isOpen`
    * @throws AskedStoppedException
    *   if the actor has stopped, or stops before it answers
    * @throws AskLostException
    *   if the actor has no handler for the message, or its mailbox drops it
    * @throws AskCycleException
    *   if the actor that was asked waits for the asker: for the answer to an ask, or for room in a
    *   mailbox, itself or by way of others. Who has handed a question on to another, and then asks
    *   who asked it, is in such a circle too
    * @throws java.lang.IllegalStateException
    *   on a worker, which must not block: use [[askLater]] there
    */
  def ask[R](within: FiniteDuration)(message: Reply[R] => T): R =
    if Runner.isShared(Thread.currentThread) then
      throw IllegalStateException(s"an ask of ${ref.name} would block a worker: use askLater")
    val reply = Reply[R](systemOf(ref), ref.name)
    def answer(): R =
      sendAsk(ref, message, reply)
      ref match
        case cell: Cell[?] => cell.runner.serveUntil(() => !reply.isOpen)
        case _             => ()
      reply.await(within.toNanos).get
    (ref, Runner.current(Thread.currentThread)) match
      case (target: Cell[?], asker: Cell[?]) => Waiters.asking(asker, target, reply)(answer())
      case _                                 => answer()

  /** As [[ask]], without waiting: the answer, or the exception, is the future's. */
  def askLater[R](within: FiniteDuration)(message: Reply[R] => T): Future[R] =
    val reply = Reply[R](systemOf(ref), ref.name)
    sendAsk(ref, message, reply)
    val promise = Promise[R]()
    reply.onEnd(result => promise.tryComplete(result): Unit)
    if reply.isOpen then
      val timer = systemOf(ref).clock.schedule(
        within.toNanos,
        () => reply.fail(AskTimeoutException(s"${ref.name} did not answer within $within"))
      )
      promise.future.onComplete(_ => timer.cancel())(using
        scala.concurrent.ExecutionContext.parasitic
      )
    promise.future
end extension

private def sendAsk[T, R](ref: ActorRef[T], message: Reply[R] => T, reply: Reply[R]): Unit =
  val made = message(reply)
  if made == null then throw NullPointerException(s"what is asked of ${ref.name} is null")
  ref match
    case cell: Cell[T] @unchecked => cell.tellAsk(Asked(made, reply))
    case other                    => other ! made

private def systemOf(ref: ActorRef[Nothing]): ActorSystem = ref match
  case cell: Cell[?]   => cell.system
  case reply: Reply[?] => reply.system
  case other           => throw IllegalArgumentException(s"${other.name} belongs to no system")
