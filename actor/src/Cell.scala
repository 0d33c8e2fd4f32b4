package undercroft.actor

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** An actor: its behaviour, and where it is in its life. docs/design/0009 draws the states.
  *
  * All but `tell`, `wake` and what the senders' side of the [[Lane]] has is for the owner's thread.
  */
private[actor] final class Cell[T](
    val system: ActorSystem,
    val parent: Cell[?] | Null,
    val runner: Runner,
    private var behavior: Behavior[T],
    box: Mailbox,
    private val number: Long
) extends MailQueue[T](box),
      Context[T]:
  import Cell.State

  private var state: Byte = State.New
  private var isMuted = false
  private var inbox: Inbox[T] | Null = null
  @volatile private var isObeying = false
  private var supervisor: Supervisor | Null = null
  private var side: Side | Null = null
  private var family: Family | Null = null

  /** Links the children of one parent. Under the lock of its [[Family]]. */
  private[actor] var previous: Cell[?] | Null = null
  private[actor] var next: Cell[?] | Null = null

  // ---- before it runs

  /** Whether a turn is needed before there is a message. */
  private[actor] def needsStart: Boolean = state == State.New

  /** Looks at the first behaviour; runs none of the user's code. The spawner's. */
  private[actor] def prepare(name: String): Unit =
    if name.nonEmpty then ownSide().name = name
    if mailbox.overflow == Overflow.Wait then ownSide().waiters = Waiters()
    unwrap()
    if Cell.isReady(behavior) then state = State.Running

  /** Peels decisions off the behaviour. */
  private def unwrap(): Unit =
    while behavior.isInstanceOf[Behavior.Supervised[?]] do
      val layer = behavior.asInstanceOf[Behavior.Supervised[T]]
      supervisor = Supervisor(layer.decide, layer.inner, supervisor)
      behavior = layer.inner

  // ---- turns

  protected def schedule(): Unit = runner.ready(this)
  private[actor] def wake(): Unit = if notifyVolatile() then runner.wake(this)
  protected def takeOver(thread: Thread): Boolean = runner.takeOver(this, thread)

  /** Whether a turn would do anything. */
  private[actor] def hasWork: Boolean =
    hasCommandsVolatile || state == State.New ||
      (state == State.Running && !isMuted && !isIdle)

  private def isIdle: Boolean =
    val own = side
    isMailEmpty && (own == null || own.stash == null || !own.stash.nn.hasDue)

  /** Handles what waits, until there is nothing more or the slice is spent. */
  private[actor] def turn(slice: Slice): Unit =
    if hasCommandsVolatile then obey()
    if state == State.New then start()
    if state == State.Running && !isMuted then work(slice)
    if state == State.Ending then finish()

  private def work(slice: Slice): Unit =
    var going = true
    while going do
      val own = side
      val due = if own == null then null
      else
        own.stash match
          case null  => null
          case stash => stash.nextDue()
      val message = if due eq null then poll() else due
      if message eq null then going = false
      else
        if due eq null then
          handle(message)
          countDoneRelease()
        else
          handle(message)
          own.nn.stash.nn.dueCount -= 1
        if hasCommandsVolatile then obey()
        if state != State.Running || isMuted || slice.isSpent() then going = false
    if mailbox.overflow == Overflow.Wait then letIn()
  end work

  private def handle(message: AnyRef): Unit =
    var isStashed = false
    try
      val next = message match
        case notice: Notice => notice.deliver(this, behavior)
        case _              => behavior.receive(message.asInstanceOf[T])
      if side != null then isStashed = afterwards(message)
      if next ne Behavior.same then
        if next ne Behavior.unhandled then become(next)
        else if !isStashed then lose(message, Reason.Unhandled)
    catch case cause: Throwable => failedWith(cause, isMessage = !isStashed)

  /** Does what the handler of a message asked for; whether it stashed the message. */
  private def afterwards(message: AnyRef): Boolean =
    val own = ownSide()
    val timers = own.timers
    if timers != null && !message.isInstanceOf[Quiet] then timers.touch()
    val stash = own.stash
    stash != null && stash.settle(message)

  private def become(next: Behavior[T]): Unit =
    if next eq Behavior.stopped then beginStop(null)
    else
      if next.isInstanceOf[Behavior.Supervised[?]] then supervisor = null
      install(next)

  /** Makes the behaviour what is to be next, through any depth of setups. */
  private def install(first: Behavior[T]): Unit =
    var next = first
    while !Cell.isReady(next) && (next ne Behavior.stopped) do
      next match
        case setup: Behavior.Setup[T @unchecked] => next = setup.make(this)
        case process: Behavior.Process[T @unchecked] if state == State.Starting && hasThread =>
          run(process)
          next = Behavior.stopped
        case _: Behavior.Process[?] =>
          throw IllegalStateException(s"$name is to be a process, which has to be spawned as one")
        case _: Behavior.Supervised[?] =>
          behavior = next
          unwrap()
          next = behavior
        case _ =>
          throw IllegalStateException(
            s"the setup of $name ended in Behavior.same or unhandled, which is no behaviour"
          )
    if next eq Behavior.stopped then beginStop(null) else behavior = next

  private def hasThread: Boolean = runner.isInstanceOf[OwnThreads]

  /** Runs a process to its end, or to where it is left because the actor stops or begins anew. */
  private def run(process: Behavior.Process[T]): Unit =
    val own = Inbox[T](this)
    inbox = own
    behavior = Behavior.Catching(own)
    process.body(this, own)
    own.end()
    inbox = null

  private def start(): Unit =
    state = State.Starting
    try install(behavior)
    catch
      case cause: Throwable =>
        val isMessage = inbox != null && inbox.nn.isBusy
        if cause ne Inbox.Leave then failedWith(cause, isMessage)
        if inbox != null then inbox.nn.end()
    inbox = null
    if state == State.Starting then
      java.lang.invoke.VarHandle.releaseFence() // for who asks whether it seems idle
      state = State.Running

  private def obey(): Unit =
    isObeying = true
    obeyAll()
    isObeying = false

  private def obeyAll(): Unit =
    var each = takeCommands(null)
    while each != null do
      val command = each
      each = command.next
      command.next = null
      if state == State.Stopped then command.tooLate(this) else command(this)

  // ---- what a process asks for

  /** Does what was commanded, and delivers the next message, if any, to the inbox; whether there
    * was one.
    */
  private[actor] def step(): Boolean =
    if state == State.Starting then
      java.lang.invoke.VarHandle.releaseFence() // for who asks whether it seems idle
      state = State.Running
    if hasCommandsVolatile then obey()
    if state != State.Running then throw Inbox.Leave
    val message = poll()
    message match
      case null           => ()
      case notice: Notice => deliver(notice)
      case _              => inbox.nn.catchIt(message.asInstanceOf[T])
    if mailbox.overflow == Overflow.Wait then letIn()
    message ne null

  private def deliver(notice: Notice): Unit =
    try
      val _ = notice.deliver(this, behavior)
    catch
      case pact: DeathPactException =>
        countDoneRelease()
        throw pact

  private[actor] def stashOrNull: Stash | Null = if side == null then null else side.nn.stash

  private[actor] def putAside(message: AnyRef): Unit =
    val stash = ownSide().ownStash()
    if stash.size >= Context.StashLimit then
      throw StashFullException(s"the stash of $name is full: ${stash.size} messages")
    stash.put(message)

  // ---- failing

  private def failedWith(cause: Throwable, isMessage: Boolean): Unit =
    val own = ownSide()
    if isMessage then own.failed += 1
    if own.stash != null then own.stash.nn.forget()
    fail(cause)

  private[actor] def childFailed(cause: Throwable): Unit =
    if state == State.Running then fail(cause)

  private def fail(cause: Throwable): Unit =
    var concerned: Supervisor | Null = null
    var pause = 0L
    val wanted =
      try
        val own = supervisor
        if own != null then concerned = own.of(cause)
        if concerned == null then Supervision.Stop else concerned.nn.decide(cause)
      catch
        case other: Throwable =>
          cause.addSuppressed(other)
          Supervision.Stop
    val decision = wanted match
      case Supervision.Resume if state == State.Starting || inbox != null => Supervision.Stop
      case Supervision.Restart(limit, within) =>
        val may = concerned.nn.mayRestart(limit, within.toNanos, system.clock.nanos)
        if may then wanted else Supervision.Stop
      case backoff: Supervision.Backoff =>
        val random = java.util.concurrent.ThreadLocalRandom.current.nextDouble
        pause = concerned.nn.pause(backoff, system.clock.nanos, random)
        if pause >= 0 then wanted else Supervision.Stop
      case other => other
    system.report(Event.Failed(this, cause, decision))
    if state < State.Stopping then
      decision match
        case Supervision.Resume => ()
        case Supervision.Stop   => beginStop(cause)
        case Supervision.Escalate =>
          val above = parent
          if above != null && above.pushCommand(Command.ChildFailed(this, cause)) then above.wake()
          beginStop(cause)
        case _ => beginRestart(concerned.nn, pause)
  end fail

  // ---- restarting

  private def beginRestart(concerned: Supervisor, pauseNanos: Long): Unit =
    state = State.Restarting
    tellSignal(Signal.PreRestart)
    val own = ownSide()
    own.restarts += 1
    own.pauseNanos = pauseNanos
    if own.timers != null then own.timers.nn.cancelAll()
    supervisor = concerned
    behavior = concerned.first.asInstanceOf[Behavior[T]]
    if family == null || family.nn.stopAll(forGood = false) then beginAnew()

  private def beginAnew(): Unit =
    val pause = ownSide().pauseNanos
    if pause == 0 then
      state = State.New
      unwrap()
    else
      state = State.Paused
      val _ = system.clock.schedule(
        pause,
        () => if pushCommand(Command.PauseOver()) then wake()
      )

  private[actor] def pauseOver(): Unit =
    if state == State.Paused then
      state = State.New
      unwrap()

  // ---- stopping

  private[actor] def beginStop(cause: Throwable | Null): Unit =
    if state < State.Stopping then
      state = State.Stopping
      if cause != null then ownSide().stopCause = cause
      if side != null && side.nn.timers != null then side.nn.timers.nn.cancelAll()
      if family == null || family.nn.stopAll(forGood = true) then state = State.Ending

  private[actor] def childless(): Unit =
    if state == State.Stopping then state = State.Ending
    else if state == State.Restarting then beginAnew()

  private def finish(): Unit =
    tellSignal(Signal.PostStop)
    state = State.Stopped
    val own = side
    if own != null && own.timers != null then own.timers.nn.cancelAll()
    closeMail()
    var message = poll()
    while message ne null do
      bury(message)
      countDoneRelease()
      message = poll()
    if own != null then
      if own.stash != null then own.stash.nn.empty(bury)
      own.failAsks(name)
      if own.waiters != null then own.waiters.nn.release(this)
    var command = takeCommands(Command.Closed)
    while command != null do
      val each = command
      command = each.next
      each.tooLate(this)
    if own != null then
      own.foreachWatcher(watcher => watcher.tellNotice(TerminatedNotice(this, own.stopCause)))
    runner.stopped(this)
    system.stopped(this)
    val above = parent
    if above != null && above.ownFamily().remove(this) then
      if above.pushCommand(Command.Childless()) then above.wake()
  end finish

  private def tellSignal(signal: Signal): Unit =
    try
      val _ = behavior.signal(signal)
    catch
      case cause: Throwable => system.report(Event.Failed(this, cause, Supervision.Resume))

  // ---- dead letters

  /** A message that was counted as sent to this actor is not handled. */
  private def lose(message: AnyRef, reason: Reason): Unit =
    ownSide().dead += 1
    system.totals.lost(reason)
    message match
      case notice: Notice => notice.tooLate()
      case _              => system.report(Event.DeadLetter(this, message, reason))

  private def bury(message: AnyRef): Unit = lose(message, Reason.Stopped)

  /** A notice is not delivered, because it is not wanted any more. */
  private[actor] def skip[U](notice: Notice): Behavior[U] =
    lose(notice, Reason.Cancelled)
    Behavior.same

  /** A message never got into the mailbox. Any thread. */
  private def refuse(message: AnyRef, reason: Reason): Unit =
    system.totals.refused(reason)
    message match
      case notice: Notice => notice.tooLate()
      case _              => system.report(Event.DeadLetter(this, message, reason))

  protected def whenClosed(message: AnyRef): Unit = refuse(message, Reason.Stopped)
  protected def whenDropped(message: AnyRef): Unit = refuse(message, Reason.Full)

  // ---- a full mailbox

  protected def whenFull(message: AnyRef, thread: Thread): Unit = mailbox.overflow match
    case Overflow.Wait =>
      side.nn.waiters.nn.waitFor(this, Runner.current(thread)) match
        case null => putAnyway(message)
        case cycle =>
          refuse(message, Reason.Full)
          throw MailboxFullException(cycle)
    case Overflow.Fail =>
      refuse(message, Reason.Full)
      throw MailboxFullException(s"the mailbox of $name is full: ${mailbox.limit} messages wait")
    case Overflow.DropNewest => refuse(message, Reason.Full)
    case Overflow.DropOldest => refuse(message, Reason.Full)

  /** Whether senders that wait may go on. Any thread. */
  private[actor] def hasRoom: Boolean =
    (headVolatile eq Node.Closed) || waitingCount <= mailbox.limit / 2

  private def letIn(): Unit =
    java.lang.invoke.VarHandle.fullFence()
    val waiters = side.nn.waiters.nn
    if !waiters.isEmptyVolatile && hasRoom then waiters.release(this)

  private[actor] def mute(): Unit = isMuted = true
  private[actor] def unmute(): Unit =
    isMuted = false
    Waiters.lock.synchronized(ownSide().waitsFor = null)

  /** The actor whose mailbox it waits for. Under [[Waiters.lock]], by whatever thread. */
  private[actor] def waitsFor: Cell[?] | Null = if side == null then null else side.nn.waitsFor

  // ---- what it has beside

  private[actor] def ownSide(): Side =
    val own = side match
      case null => Side()
      case some => some
    side = own
    own

  private[actor] def ownFamily(): Family =
    val own = family match
      case null => Family()
      case some => some
    family = own
    own

  private[actor] def stopCause: Throwable | Null = if side == null then null else side.nn.stopCause
  private[actor] def familyOrNull: Family | Null = family

  /** Its counts. Exact once it is at rest. Any thread. */
  private[actor] def counts: Counts =
    val own = side
    val stash = if own == null then null else own.stash
    Counts(
      sent = sentCount + inWindow,
      waiting = waitingCount + inWindow,
      failed = if own == null then 0 else own.failed,
      stashed = if stash == null then 0 else stash.size,
      dead = if own == null then 0 else own.dead,
      restarts = if own == null then 0 else own.restarts
    )

  /** Whether it has had nothing to do for the moment. Any thread; see [[Audit]]. */
  private[actor] def seemsIdle: Boolean =
    val own = side
    !isNotifiedVolatile && waitingCount + inWindow == 0 && !hasCommandsVolatile && !isObeying &&
    (own == null || own.stash == null || own.stash.nn.dueCount == 0) &&
    (state == State.Running || state == State.Paused)

  // ---- ActorRef

  def name: String =
    val own = if side == null then "" else side.nn.name
    if own.nonEmpty then own else s"${system.name}/$number"

  def isStopped: Boolean = headVolatile eq Node.Closed

  // ---- Context

  def self: ActorRef[T] = this

  private def requireTurn(): Unit =
    val current = Runner.current(Thread.currentThread)
    if current ne this then
      throw IllegalStateException(
        s"the context of $name is used outside its turn, on ${Thread.currentThread.getName}"
      )

  private[actor] def spawnHere[U](
      b: Behavior[U],
      name: String,
      run: Run,
      box: Mailbox
  ): ActorRef[U] =
    requireTurn()
    if state >= State.Stopping then
      throw SpawnRefusedException(s"${this.name} is stopping and spawns nothing")
    system.make(this, b, name, run, box)

  def children: List[ActorRef[Nothing]] =
    requireTurn()
    if family == null then Nil else family.nn.all.toList

  def stop(child: ActorRef[Nothing]): Unit =
    requireTurn()
    child match
      case cell: Cell[?] if cell.parent eq this =>
        if cell.pushCommand(Command.Stop()) then cell.wake()
      case _ => throw IllegalArgumentException(s"${child.name} is no child of $name")

  def watch(ref: ActorRef[Nothing]): Unit = watchBy(ref, Side.BySignal)
  def watchWith(ref: ActorRef[Nothing], message: T): Unit = watchBy(ref, message)

  private def watchBy(ref: ActorRef[Nothing], instead: Any): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if cell ne this =>
        val known = ownSide().isWatching(cell)
        ownSide().watch(cell, instead)
        if !known then
          val command = Command.Watch(this)
          if cell.pushCommand(command) then cell.wake() else command.tooLate(cell)
      case _ => throw IllegalArgumentException(s"$name cannot watch ${ref.name}")

  def unwatch(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if ownSide().isWatching(cell) =>
        val _ = ownSide().stopWatching(cell)
        if cell.pushCommand(Command.Unwatch(this)) then cell.wake()
      case _ => ()

  def stash(): Unit =
    requireTurn()
    if inbox != null then throw IllegalStateException(s"$name is a process: it has receiveFirst")
    val own = ownSide().ownStash()
    if own.wantsThis then throw IllegalStateException(s"$name stashes the message in hand twice")
    if own.size >= Context.StashLimit then
      throw StashFullException(s"the stash of $name is full: ${own.size} messages")
    own.wantsThis = true

  def unstashAll(): Unit =
    requireTurn()
    ownSide().ownStash().wantsAll = true

  def startTimer(key: Any, message: T, delay: FiniteDuration): Unit =
    requireTurn()
    ownSide().ownTimers(this).start(key, message, delay.toNanos, null)

  def startTimer(key: Any, message: T, every: Every): Unit =
    requireTurn()
    ownSide().ownTimers(this).start(key, message, every.nanos, every)

  def cancelTimer(key: Any): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancel(key)

  def receiveTimeout(after: FiniteDuration, message: T): Unit =
    requireTurn()
    ownSide().ownTimers(this).whenQuiet(after.toNanos, message)

  def cancelReceiveTimeout(): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancelQuiet()

  def pipe[A](future: Future[A])(message: Try[A] => T): Unit =
    requireTurn()
    future.onComplete(result => tell(message(result)))(using ExecutionContext.parasitic)
end Cell

private[actor] object Cell:
  /** In the order of a life; those from `Stopping` on end it. */
  object State:
    inline val New = 0
    inline val Starting = 1
    inline val Running = 2
    inline val Restarting = 3
    inline val Paused = 4
    inline val Stopping = 5
    inline val Ending = 6
    inline val Stopped = 7

  /** Whether a behaviour can handle messages as it is. */
  def isReady(behavior: Behavior[?]): Boolean =
    behavior.isInstanceOf[Behavior.Receive[?]] || behavior.isInstanceOf[Behavior.WithSignals[?]]
end Cell
