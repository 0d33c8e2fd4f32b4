package undercroft.actor

import java.util.concurrent.atomic.AtomicInteger
import scala.util.{Failure, Success, Try}

/** An actor whose turns are given by hand, for tests in Java. Only one thread at a time gives them.
  */
final class ByHand(limit: Int, overflow: Overflow):
  import ByHand.*

  def this(limit: Int) = this(limit, Overflow.DropNewest)

  private val wakes = AtomicInteger()
  private val told = AtomicInteger()
  private val slice = Slice.endless()
  private val runner = new Runner:
    def run: Run = Run.Workers
    def started(cell: Cell[?]): Unit = ()
    def wake(cell: Cell[?]): Unit = wakes.incrementAndGet(): Unit
    def ready(cell: Cell[?]): Unit = ()
    def takeOver(cell: Cell[?], thread: Thread): Boolean = false
    def stopped(cell: Cell[?]): Unit = ()
  private val behavior = Behavior
    .receive[Letter] { letter =>
      letter.handled.incrementAndGet(): Unit
      if letter.stops then Behavior.stopped else Behavior.same
    }
    .onSignal { case Signal.Terminated(_, _) =>
      told.incrementAndGet(): Unit
      Behavior.same
    }
  private val cell =
    Cell[Letter](system, null, runner, behavior, Mailbox(limit, overflow), 0)
  private val family = Family()
  cell.prepare("")

  def send(letter: Letter): Unit = cell ! letter

  /** Whether somebody is to give it a turn. */
  def isDue: Boolean = cell.isNotifiedVolatile

  /** How often it was woken. */
  def wakeCount: Int = wakes.get

  /** Gives it a turn, as who was woken does. */
  def turn(): Unit =
    cell.lowerNotifiedVolatile()
    cell.turn(slice)

  /** Gives it turns until none is due. */
  def settle(): Unit = while isDue do turn()

  /** Gives it turns until it handled so many letters, or has waited for them for too long. */
  def settleTo(letters: Int): Unit =
    val until = System.nanoTime + PatienceNanos
    while cell.doneAcquire < letters && System.nanoTime < until do
      if isDue then turn() else Thread.onSpinWait()

  /** Has it watched by another. */
  def watchedBy(other: ByHand): Unit =
    other.cell.ownSide().watch(cell, Side.BySignal)
    val watch = Command.Watch(other.cell)
    if cell.pushCommand(watch) then cell.wake() else watch.tooLate(cell)

  /** How often it was told that one it watches has stopped. */
  def tellings: Int = told.get

  /** Makes another its child, as a spawn does; whether that was taken. */
  def adopt(child: ByHand): Boolean = family.add(child.cell)

  /** Stops its children, for good. */
  def stopChildren(): Unit = family.stopAll(forGood = true): Unit

  /** Whether it has been told to stop. */
  def isToldToStop: Boolean = cell.hasCommandsVolatile
end ByHand

object ByHand:
  /** A message that knows what became of it. */
  final class Letter(val stops: Boolean):
    val handled: AtomicInteger = AtomicInteger()
    val dead: AtomicInteger = AtomicInteger()
    def end: String = (handled.get, dead.get) match
      case (1, 0)          => "handled"
      case (0, 1)          => "dead"
      case (times, letter) => s"$times times handled and $letter times dead"

  private val system = ActorSystem(
    "stress",
    workers = 1,
    listener = {
      case Event.DeadLetter(_, letter: Letter, _) => letter.dead.incrementAndGet(): Unit
      case _                                      => ()
    }
  )

  private val PatienceNanos = 20_000_000_000L

  /** One whose senders wait for room. */
  def waiting(limit: Int): ByHand = ByHand(limit, Overflow.Wait)

  def ordinary(): Letter = Letter(stops = false)
  def last(): Letter = Letter(stops = true)

  /** An ask, whose answer and whose end in time race. */
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
end ByHand
