package undercroft.actor

import internal.cell.{ActorCell, AskMessage, MessageAdapter}
import internal.dispatch.{AskNesting, Dispatcher}
import internal.mailbox.Waiters
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.FiniteDuration

extension [T](ref: ActorRef[T])

  /** Sends a message that contains the reply reference, and waits for the reply.
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
    * It blocks: use it on your own threads and in actors with their own thread.
    *
    * @throws AskTimeoutException
    *   if there is no reply in time; the actor then finds that the reply is not `isOpen`
    * @throws AskTargetStoppedException
    *   if the actor has stopped, or stops before it replies
    * @throws AskFailedException
    *   if the handler of the message fails and the message is not handled again, whatever the
    *   supervision decides about the actor; also if the handler has passed the reply on before
    * @throws AskDeadLetterException
    *   if the actor has no handler for the message, or its mailbox is full or drops it
    * @throws AskDeadlockException
    *   if the wait would be a deadlock: the asked actor waits for the asker, directly or through
    *   others, for the reply to an ask or for room in a mailbox. This includes an actor that has
    *   forwarded an ask and then asks the original asker
    * @throws AskNestingException
    *   if [[ActorSystem.NestedAskLimit]] asks of this thread wait for actors that run on it
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted, also before the call; the actor then finds that the reply is
    *   not `isOpen`, and a late reply is a dead letter
    * @throws SystemFailedException
    *   if the actor's system has ended by a fatal error, or ends so
    * @throws java.lang.IllegalStateException
    *   on a worker, which must not block: use [[askAsync]] there
    */
  def ask[R](within: FiniteDuration)(message: Reply[R] => T): R =
    if Dispatcher.isShared(Thread.currentThread) then
      throw IllegalStateException(s"an ask of ${ref.name} would block a worker: use askAsync")
    val reply = Reply[R](systemOf(ref), ref.name)
    val from = reply.system.clock.nanos
    // First: it is code of the asker, which may ask other actors.
    val query = queryOf(ref, message, reply)
    val target = cellOf(ref)
    if Thread.currentThread.isVirtual && !reply.system.engine.isSimulated then reply.awaitLater()
    def answer(): R =
      try sendAsk(ref, query, reply, within.toNanos, from)
      catch
        case full: MailboxFullException =>
          // Set before the ask, or while it waited for room.
          if Thread.interrupted() then throw reply.interruption
          throw AskDeadLetterException(full.getMessage.nn)
      if target != null then target.runner.serveUntil(() => !reply.isOpen)
      reply.await(within.toNanos, from).get
    val asker = Dispatcher.current(Thread.currentThread)
    def checked(): R =
      if asker == null || target == null then answer()
      else Waiters.asking(asker, target, reply)(answer())
    if target != null && target.runner.runsOnSender then AskNesting.count(target)(checked())
    else checked()
  end ask

  /** As [[ask]], but returns at once: the future completes with the reply or the exception. Only if
    * the mailbox is full and has back-pressure, a thread outside of actors or an actor with its own
    * thread waits for room first, at most `within`.
    *
    * {{{
    * import scala.concurrent.{Await, Future}
    * import scala.concurrent.duration.*
    * ActorSystem.scoped("numbers"):
    *   val answers = spawn(Behavior.receive[Reply[Int]] { reply =>
    *     reply ! 42
    *     Behavior.same
    *   })
    *   val answer: Future[Int] = answers.askAsync[Int](10.seconds)(reply => reply)
    *   println(Await.result(answer, 10.seconds)) // 42
    * }}}
    */
  def askAsync[R](within: FiniteDuration)(message: Reply[R] => T): Future[R] =
    val reply = Reply[R](systemOf(ref), ref.name)
    val from = reply.system.clock.nanos
    try sendAsk(ref, queryOf(ref, message, reply), reply, within.toNanos, from)
    catch
      case full: MailboxFullException =>
        reply.fail(AskDeadLetterException(full.getMessage.nn))
    val promise = Promise[R]()
    reply.onEnd(result => promise.tryComplete(result): Unit)
    if reply.isOpen then
      val timer = reply.system.clock.schedule(
        within.toNanos,
        AskTimeout(reply, s"${ref.name} did not answer within $within")
      )
      promise.future.onComplete(_ => timer.cancel())(using
        scala.concurrent.ExecutionContext.parasitic
      )
      if cellOf(ref) == null then endWithSystem(reply, promise.future)
      if reply.system.failure.isOver then reply.stopWithSystem()
    promise.future
  end askAsync
end extension

/** Ends an ask without a reply in time. */
private[actor] final class AskTimeout(reply: Reply[?], text: String) extends Runnable:
  def run(): Unit = reply.fail(AskTimeoutException(text))

/** The message of an ask, with its reply reference. */
private def queryOf[T, R](ref: ActorRef[T], message: Reply[R] => T, reply: Reply[R]): T =
  val query = message(ref match
    case external: ExternalRef[?] => external.replyVia(reply)
    case _                        => reply)
  if query == null then throw NullPointerException(s"the message of an ask of ${ref.name} is null")
  query

private def sendAsk[T](
    ref: ActorRef[T],
    query: T,
    reply: Reply[?],
    withinNanos: Long,
    from: Long
): Unit = ref match
  case cell: ActorCell[T] @unchecked =>
    cell.tellBounded(AskMessage(query, reply, withinNanos, from))
  case adapter: MessageAdapter[T, ?] @unchecked =>
    adapter.cell.tellBounded(AskMessage(adapter.adapted(query), reply, withinNanos, from))
  case target => target ! query

/** The actor that handles the messages to `ref`, or null if it is not one of this runtime. */
private def cellOf(ref: ActorRef[Nothing]): ActorCell[?] | Null = ref match
  case cell: ActorCell[?]            => cell
  case adapter: MessageAdapter[?, ?] => adapter.cell
  case _                             => null

/** Fails the ask when its system has stopped, since the clock stops with it. */
private def endWithSystem[R](reply: Reply[R], result: Future[R]): Unit =
  val system = reply.system
  system.openAsks.add(reply): Unit
  result.onComplete(_ => system.openAsks.remove(reply): Unit)(using
    scala.concurrent.ExecutionContext.parasitic
  )
  if system.isStopped then reply.stopWithSystem()

private def systemOf(ref: ActorRef[Nothing]): ActorSystem = ref match
  case cell: ActorCell[?]       => cell.system
  case reply: Reply[?]          => reply.system
  case external: ExternalRef[?] => external.system
  case target                   => throw IllegalArgumentException(s"${target.name} is not an actor")
