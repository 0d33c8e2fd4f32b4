package undercroft.actor

import internal.cell.{ActorCell, AskMessage, ContextEnvelope, ConvertedMessage, DeadLetters}
import internal.cell.{Envelope, HandlerOutcome, InternalMessage, Lifecycle, MessageTracer, Stash}
import internal.cell.{State, SystemMessage, Tracing}
import internal.dispatch.{Dispatcher, Engine, HandlerClock, TimeSlice, Timer}
import internal.mailbox.{FullMailbox, MessageQueue}
import scala.concurrent.duration.FiniteDuration

/** The mailbox of a process, as its code sees it: see [[Behavior.process]]. Owner thread only. A
  * message counts as handled when the process takes the next one or ends.
  *
  * {{{
  * def adder(total: ActorRef[Int]): Behavior[Int] = Behavior.process: inbox =>
  *   val first = inbox.receive() // waits
  *   val second = inbox.receive()
  *   total ! (first + second)
  * }}}
  */
final class Inbox[T] private[actor] (cell: ActorCell[T]):
  private var caught: AnyRef | Null = null
  private var hand: AnyRef | Null = null

  /** Whether the current message is neither accepted nor stashed yet. */
  private var isUndecided = false

  /** Whether the delivery of the current message failed: its conversion threw. */
  private var hasFailed = false

  /** The failure to convert a message of the stash, until the message is taken. */
  private var conversionFailure: Throwable | Null = null

  /** Whether the stash took a message beyond its limit: it must shrink before the next message. */
  private var isOverfull = false

  /** The timer whose delay begins at the end of the current message. */
  private var delayed: Timer | Null = null
  private val slice = TimeSlice.ofThread()
  private var from = 0L

  /** The context of the caught message, and the tracer's record of the current one. */
  private[actor] var caughtContext: AnyRef | Null = null
  private var tracer: MessageTracer | Null = null
  private var handling: AnyRef | Null = null

  /** Waits for the next message: the oldest stashed one, else the next of the mailbox.
    *
    * {{{
    * def printer: Behavior[String] = Behavior.process: inbox =>
    *   for _ <- 1 to 2 do println(inbox.receive())
    * ActorSystem.scoped("office"):
    *   val actor = spawn(printer)
    *   for page <- List("one", "two") do actor ! page // prints both and stops
    * }}}
    *
    * @throws DeathPactException
    *   if a watched actor has stopped; with `watchWith` a message arrives instead
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    * @throws java.lang.IllegalStateException
    *   if this is not the thread of the process, or the process has ended
    */
  def receive(): T = receiveFirst { case message => message }

  /** As `receive`, but returns None if there is no message for `within`.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def session: Behavior[String] = Behavior.process: inbox =>
    *   var message = inbox.receive(1.minute)
    *   while message.isDefined do
    *     println(message.get)
    *     message = inbox.receive(1.minute)
    * }}}
    */
  def receive(within: FiniteDuration): Option[T] = receiveFirst(within) { case message => message }

  /** Waits for the first message that `handle` is defined for, and handles it. Earlier messages are
    * stashed in their order, and count as stashed.
    *
    * {{{
    * def printer: Behavior[String | Int] = Behavior.process: inbox =>
    *   val copies = inbox.receiveFirst { case n: Int => n }
    *   val page = inbox.receiveFirst { case text: String => text }
    *   println(page * copies) // abab
    * ActorSystem.scoped("office"):
    *   val actor = spawn(printer)
    *   actor ! "ab"
    *   actor ! 2
    * }}}
    *
    * @throws StashOverflowException
    *   if [[ActorContext.StashLimit]] messages are stashed already; the next call sees the message
    *   that did not fit again, after the stashed ones
    */
  def receiveFirst[A](handle: PartialFunction[T, A]): A =
    handle(next(
      message => handle.isDefinedAt(message.asInstanceOf[T]),
      Inbox.Never
    ).asInstanceOf[T])

  /** As `receiveFirst`, but returns None if there is no such message for `within`. The other
    * messages that arrived meanwhile are stashed.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def printer: Behavior[String | Int] = Behavior.process: inbox =>
    *   val page = inbox.receiveFirst { case text: String => text }
    *   val copies = inbox.receiveFirst(within = 10.millis) { case n: Int => n }
    *   println(page * copies.getOrElse(1)) // ab
    * ActorSystem.scoped("office")(spawn(printer) ! "ab")
    * }}}
    *
    * @throws StashOverflowException
    *   if [[ActorContext.StashLimit]] messages are stashed already; the next call sees the message
    *   that did not fit again, after the stashed ones
    */
  def receiveFirst[A](within: FiniteDuration)(handle: PartialFunction[T, A]): Option[A] =
    val message = next(
      message => handle.isDefinedAt(message.asInstanceOf[T]),
      cell.system.clock.nanos + within.toNanos
    )
    if message eq null then None else Some(handle(message.asInstanceOf[T]))

  /** Makes the first wanted message the current one and returns it, or null if the time is over. */
  private def next(isWanted: AnyRef => Boolean, until: Long): AnyRef | Null =
    requireTurn()
    settle()
    if slice.isSpent() then slice.yieldIfSpent()
    cell.system.engine.pass()
    hand = takeFirst(cell.stashOrNull, isWanted)
    var isFound = hand ne null
    var isLate = false
    while !isFound && !isLate do
      val message = if hasDueNow then null else caughtNext()
      if message ne null then
        hand = message
        isUndecided = true
        isFound = isWanted(message)
        if !isFound then
          stash(ContextEnvelope.wrapped(cell, message, caughtContext))
          end(isHandled = false)
        isUndecided = false
      else if hasDueNow then
        hand = takeFirst(cell.stashOrNull, isWanted)
        isFound = hand ne null
      else if !hasUnseen then
        isLate = until != Inbox.Never && cell.system.clock.nanos - until >= 0
        if !isLate then await(until)
    val result = hand
    if result ne null then from = HandlerClock.begin()
    if Tracing.isUsed && cell.isTraced then beginHandling(result)
    if result eq null then null else Inbox.content(result, cell)
  end next

  private def requireTurn(): Unit =
    val thread = Thread.currentThread
    if (Dispatcher.current(thread) ne cell) || (cell.inbox ne this) then
      throw IllegalStateException(
        s"the inbox of ${cell.name} is used outside its process, on ${thread.getName}"
      )

  /** Completes the current message, if there is one: it is handled, or failed if its delivery
    * failed, or stashed if an exception left it undecided.
    */
  private[actor] def settle(): Unit =
    val message = hand
    if isUndecided && (message ne null) then
      val stash = cell.coldState().ownStash()
      stash.put(ContextEnvelope.wrapped(cell, message, caughtContext)) // beyond its limit
      isOverfull = stash.size > ActorContext.StashLimit
      isUndecided = false
      end(isHandled = false)
    else if hasFailed then
      cell.coldState().failed += 1
      end(isHandled = false)
    else end(isHandled = true)

  private def beginHandling(message: AnyRef | Null): Unit =
    val context = message match
      case envelope: ContextEnvelope => envelope.context
      case _                         => caughtContext
    val present = cell.system.tracing.tracer
    if (message ne null) && (context ne null) && present != null then
      tracer = present
      handling = present.begin(cell, Inbox.content(message, cell), context)
    caughtContext = null

  private def endHandling(failure: Throwable | Null): Unit =
    val present = tracer
    val record = handling
    tracer = null
    handling = null
    val outcome = if failure == null then HandlerOutcome.Handled else HandlerOutcome.Failed
    if present != null && (record ne null) then present.end(record, outcome, failure)

  private def takeFirst(stash: Stash | Null, isWanted: AnyRef => Boolean): AnyRef | Null =
    val result =
      if stash == null then null else stash.takeFirst(message => isToTake(message, isWanted))
    if result eq null then null
    else
      cell.countAgainRelease()
      caughtContext = null
      cell.coldState().touch(result)
      val failure = conversionFailure
      if failure != null then
        conversionFailure = null
        failAtDelivery(result)
        throw failure
      taken(result)

  /** Whether a message of the stash is wanted, or fails because it cannot be converted. */
  private def isToTake(message: AnyRef, isWanted: AnyRef => Boolean): Boolean =
    val content =
      try Inbox.content(message, cell)
      catch
        case cause: Throwable =>
          conversionFailure = cause
          null
    (content eq null) || isWanted(content)

  /** The current message for a message of the stash. A priority message was not delivered before:
    * it is converted, as when it is delivered.
    */
  private def taken(message: AnyRef): AnyRef = message match
    case adapted: ConvertedMessage => adapted.userMessage(cell)
    case envelope: ContextEnvelope if envelope.message.isInstanceOf[ConvertedMessage] =>
      ContextEnvelope.wrapped(cell, taken(envelope.message), envelope.context)
    case _ => message

  /** The next waiting message, or null; executes system messages and delivers internal ones on the
    * way.
    */
  private def caughtNext(): AnyRef | Null =
    caught = null
    caughtContext = null
    Inbox.obey(cell)
    val message =
      if hasDueNow then null // due messages go first
      else
        if isOverfull then requireRoom()
        MessageQueue.poll(cell)
    val coldState = cell.coldStateOrNull
    if coldState != null && (message ne null) then coldState.touch(message)
    val isDead = message match
      case null                     => false
      case message: InternalMessage => isDeliveredDead(message)
      case _ =>
        caught = message
        false
    if cell.mailbox.overflow == Overflow.Backpressure then FullMailbox.releaseWaiters(cell)
    // An internal message without a user message is complete.
    if (message ne null) && (caught eq null) then
      cell.countDoneRelease(isHandled = !isDead)
      Inbox.obey(cell)
    caught
  end caughtNext

  /** Delivers an internal message: afterwards `caught` is its user message, which is handled later,
    * or the message is complete. Returns whether it is a dead letter. If the delivery fails, it is
    * the current message.
    */
  private def isDeliveredDead(message: InternalMessage): Boolean =
    try
      val next = message.deliver(cell, cell.behavior)
      if next eq Behavior.stopped then Lifecycle.beginStop(cell, null)
      val reason =
        if next eq Behavior.unhandled then DeadLetterReason.Unhandled
        else if next eq Behavior.skipped then DeadLetterReason.Cancelled
        else null
      if reason != null then DeadLetters.add(cell, message, reason)
      reason != null
    catch
      case cause: Throwable =>
        failAtDelivery(message)
        throw cause

  /** Whether due messages exist that the process has not seen yet. */
  private def hasDueNow: Boolean =
    val stash = cell.stashOrNull
    stash != null && stash.dueCount > 0

  /** Whether a message or a system message exists that the process has not seen yet. */
  private def hasUnseen: Boolean =
    cell.hasSystemMessagesVolatile || hasDueNow || !MessageQueue.isEmpty(cell)

  /** Throws if a message waits, and the stash still exceeds its limit. */
  private def requireRoom(): Unit =
    val stash = cell.coldState().ownStash()
    isOverfull = stash.size > ActorContext.StashLimit
    if isOverfull && !MessageQueue.isEmpty(cell) then throw overflow(stash)

  /** Stashes a message that the process does not want now. */
  private def stash(message: AnyRef): Unit =
    val stash = cell.coldState().ownStash()
    if stash.size >= ActorContext.StashLimit then throw overflow(stash)
    stash.put(message)

  private def overflow(stash: Stash): StashOverflowException =
    StashOverflowException(s"the stash of ${cell.name} is full: ${stash.size} messages")

  /** Receives a message from the actor. */
  private[actor] def catchIt(message: T): Unit = caught = message.asInstanceOf[AnyRef]

  /** Makes a message whose delivery failed the current one, so that it fails with the process. */
  private def failAtDelivery(message: AnyRef): Unit =
    hand = message
    hasFailed = true

  /** The current message, or null. */
  private[actor] def current: AnyRef | Null = hand

  /** Counts the current message, if there is one, as completed: as handled, or as failed or
    * stashed.
    */
  private[actor] def end(isHandled: Boolean, failure: Throwable | Null = null): Unit =
    if Tracing.isUsed && cell.isTraced then endHandling(failure)
    HandlerClock.end(cell, from)
    from = 0
    hasFailed = false
    if hand ne null then
      hand = null
      cell.countDoneRelease(isHandled)
    val timer = delayed
    if timer != null then
      delayed = null
      timer.armAgain()

  /** Lets the delay of a timer begin at the end of the current message. */
  private[actor] def armAtEnd(timer: Timer): Unit = delayed = timer

  private def await(until: Long): Unit =
    if Thread.interrupted() then throw InterruptedException(s"${cell.name} was interrupted")
    if !cell.isNotifiedVolatile then
      val system = cell.system
      val left =
        if until == Inbox.Never then Engine.Forever else math.max(0L, until - system.clock.nanos)
      cell.isAtWork = false
      system.engine.park(this, left)
      slice.resume(System.nanoTime)
      cell.isAtWork = true
    cell.clearNotifiedVolatile()
end Inbox

private[actor] object Inbox:
  private val Never: Long = Long.MinValue

  /** Runs a process until it returns, or unwinds because the actor stops or restarts. Owner thread
    * only.
    */
  def run[T](cell: ActorCell[T], process: Behavior.Process[T]): Unit =
    val inbox = Inbox[T](cell)
    cell.isProcess = true
    cell.inbox = inbox
    cell.isAtWork = true // except while it waits
    cell.behavior = Behavior.Catching(inbox)
    process.body(ActorContext(cell), inbox)
    // Before its last message is counted: the actor is not idle until it has ended.
    Lifecycle.beginStop(cell, null)
    inbox.settle()
    cell.inbox = null

  /** Executes pending system messages, and leaves a process that is to stop or to restart. Owner
    * thread only.
    */
  def obey(cell: ActorCell[?]): Unit =
    if cell.state == State.Starting then Lifecycle.endStart(cell)
    if cell.hasSystemMessagesVolatile then SystemMessage.runAll(cell)
    if cell.state != State.Running then throw Leave

  /** The user message inside a message of the stash or of a process. */
  private def content(message: AnyRef, cell: ActorCell[?]): AnyRef = message match
    case internal: InternalMessage => contentOf(internal, cell)
    case userMessage               => userMessage

  private def contentOf(message: InternalMessage, cell: ActorCell[?]): AnyRef = message match
    case envelope: Envelope        => content(envelope.message, cell)
    case question: AskMessage      => content(question.content, cell)
    case adapted: ConvertedMessage => adapted.userMessage(cell)
    case other                     => other

  /** Unwinds the stack of a process that stops or restarts. */
  object Leave extends scala.util.control.ControlThrowable
end Inbox
