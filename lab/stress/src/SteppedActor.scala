package undercroft.actor

import internal.cell.{ActorCell, Children, DeathWatch, Lifecycle}
import internal.dispatch.{Dispatcher, TimeSlice}
import java.util.concurrent.atomic.AtomicInteger
import scala.util.{Failure, Success, Try}

/** An actor whose turns a test runs by hand, for tests in Java. Only one thread at a time runs
  * them.
  */
final class SteppedActor(limit: Int, overflow: Overflow):
  import SteppedActor.*

  def this(limit: Int) = this(limit, Overflow.DropNewest)

  private val wakes = AtomicInteger()
  private val notifications = AtomicInteger()
  private val slice = TimeSlice.ofThread()
  private val runner = new Dispatcher:
    def run: Run = Run.Workers
    def wake(cell: ActorCell[?]): Unit = wakes.incrementAndGet(): Unit
  private val behavior = Behavior
    .receive[Letter] { letter =>
      letter.handled.incrementAndGet(): Unit
      if letter.stops then Behavior.stopped else Behavior.same
    }
    .onSignal { case Signal.Terminated(_, _) =>
      notifications.incrementAndGet(): Unit
      Behavior.same
    }
  private val cell =
    ActorCell[Letter](system, null, runner, behavior, Mailbox(limit, overflow), 0)
  private val family = Children()
  Lifecycle.prepare(cell, "")

  def send(letter: Letter): Unit = cell ! letter

  /** Whether a turn is due. */
  def isDue: Boolean = cell.isNotifiedVolatile

  /** How often the dispatcher was asked for a turn. */
  def wakeCount: Int = wakes.get

  /** Runs a turn, as the dispatcher does after a wake-up. */
  def turn(): Unit =
    cell.clearNotifiedVolatile()
    cell.turn(slice)

  /** Runs turns until none is due. */
  def settle(): Unit = while isDue do turn()

  /** Runs turns until `letters` messages are done, for at most 20 s. */
  def settleTo(letters: Int): Unit =
    val until = System.nanoTime + PatienceNanos
    while cell.completedAcquire < letters && System.nanoTime < until do
      if isDue then turn() else Thread.onSpinWait()

  /** Runs turns until each of the letters is handled or dead, for at most 20 s. */
  def settleUntilEnd(letters: Array[Letter]): Unit =
    val until = System.nanoTime + PatienceNanos
    while !letters.forall(_.isEnded) && System.nanoTime < until do
      if isDue then turn() else Thread.onSpinWait()

  /** Lets `other` watch this actor. */
  def watchedBy(other: SteppedActor): Unit =
    other.cell.coldState().watch(cell, cell, null)
    val watch = DeathWatch.Watch(other.cell)
    if cell.pushSystemMessage(watch) then cell.wake() else watch.tooLate(cell)

  /** How often it was notified that a watched actor has stopped. */
  def tellings: Int = notifications.get

  /** Adds a child, as a spawn does; returns whether it was accepted. */
  def adopt(child: SteppedActor): Boolean = family.add(child.cell)

  /** Stops its children permanently. */
  def stopChildren(): Unit = family.stopAll(forGood = true, cell): Unit

  /** Whether a system message, here the request to stop, is pending. */
  def isStopRequested: Boolean = cell.hasSystemMessagesVolatile
end SteppedActor

object SteppedActor:
  /** A message that records its outcome. */
  final class Letter(val stops: Boolean):
    val handled: AtomicInteger = AtomicInteger()
    val dead: AtomicInteger = AtomicInteger()
    def isEnded: Boolean = handled.get + dead.get > 0
    def end: String = (handled.get, dead.get) match
      case (1, 0)          => "handled"
      case (0, 1)          => "dead"
      case (times, letter) => s"$times times handled and $letter times dead"

  private val system = ActorSystem(
    "stress",
    workers = 1,
    listener = {
      case ActorEvent.DeadLetter(_, letter: Letter, _) => letter.dead.incrementAndGet(): Unit
      case _                                           => ()
    }
  )

  private val PatienceNanos = 20_000_000_000L

  /** Creates an actor whose senders wait for room in its mailbox. */
  def waiting(limit: Int): SteppedActor = SteppedActor(limit, Overflow.Backpressure)

  def ordinary(): Letter = Letter(stops = false)
  def last(): Letter = Letter(stops = true)

  /** An ask whose reply races with its timeout. */
  final class Question:
    private val reply = Reply[String](system, "nobody")
    private val ends = AtomicInteger()
    @volatile private var result = "nothing"
    reply.onEnd: (end: Try[String]) =>
      ends.incrementAndGet(): Unit
      result = end match
        case Success(text) => text
        case Failure(_)    => "late"
    def answer(): Unit = reply ! "answer"
    def giveUp(): Unit = reply.fail(AskTimeoutException("late"))
    def end: String = if ends.get == 1 then result else s"${ends.get} ends"
end SteppedActor
