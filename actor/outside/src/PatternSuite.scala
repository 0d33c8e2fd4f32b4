package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.locks.LockSupport
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** The events that a system reported, and the notes that its actors took. */
final class Log:
  private val events = ConcurrentLinkedQueue[ActorEvent]()
  private val lines = ConcurrentLinkedQueue[String]()

  def add(event: ActorEvent): Unit = events.add(event): Unit
  def note(line: String): Unit = lines.add(line): Unit
  def notes: List[String] = lines.asScala.toList

  /** Dead letters with their reasons, in the order of their reports. */
  def deadLetters: List[(Any, DeadLetterReason)] = events.asScala.toList.collect:
    case ActorEvent.DeadLetter(_, message, reason) => (message, reason)

  def failures: List[Throwable] = events.asScala.toList.collect:
    case ActorEvent.Failed(_, cause, _) => cause
end Log

/** A suite whose tests have a system of two workers; at the end of a test its audit is exact. */
abstract class PatternSuite extends undercroft.tools.Suite:

  protected def withSystem(body: (ActorSystem, Log) ?=> Unit): Unit =
    val log = Log()
    val system = ActorSystem("patterns", 2, log.add)
    try body(using system, log)
    finally
      val isOver = system.shutdown(1.minute, 1.minute)
      assert(isOver, s"\n${system.observe.tree.show}")
    assert(system.observe.audit.isExact, s"${system.observe.audit}")

  protected def log(using log: Log): Log = log
  protected def system(using system: ActorSystem): ActorSystem = system

  protected def quiet()(using system: ActorSystem): Unit =
    val isQuiet = system.awaitQuiescence(1.minute)
    assert(isQuiet, s"\n${system.observe.tree.show}")

  /** Waits at most a minute for a condition that follows from messages that were sent. */
  protected def until(state: String)(condition: => Boolean)(using system: ActorSystem): Unit =
    val end = System.nanoTime + 1.minute.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(100_000)
    assert(condition, s"after a minute it is not so: $state\n${system.observe.tree.show}")

  // The condition of an `assert` is evaluated under a lock of the suite: waits come before it.
  protected def await(latch: CountDownLatch): Unit =
    val isOpen = latch.await(1, TimeUnit.MINUTES)
    assert(isOpen, s"${latch.getCount} events are missing")

  protected def join(thread: Thread): Unit =
    val hasEnded = thread.join(java.time.Duration.ofMinutes(1))
    assert(hasEnded, s"$thread does not end")

  /** Runs `body` on `count` threads, which begin together and end within a minute. */
  protected def together(count: Int)(body: Int => Unit): Unit =
    val start = CountDownLatch(1)
    val errors = ConcurrentLinkedQueue[Throwable]()
    val threads = Vector.tabulate(count): i =>
      Thread.ofPlatform.daemon.start: () =>
        try
          start.await()
          body(i)
        catch case error: Throwable => errors.add(error): Unit
    start.countDown()
    threads.foreach(join)
    for error <- errors.asScala do throw error

  /** Notes its messages, throws at 0 and stops after a negative one. */
  protected def noting(name: String, mailbox: Mailbox = Mailbox.default)(using
      ActorSystem,
      Log
  ): ActorRef[Int] =
    spawn(
      Behavior.receive[Int] { n =>
        log.note(s"$name:$n")
        if n == 0 then throw IllegalStateException(s"$name was sent 0")
        if n < 0 then Behavior.stopped else Behavior.same
      },
      name,
      mailbox = mailbox
    )

  /** The messages that an actor noted. */
  protected def notedBy(name: String)(using Log): List[Int] =
    log.notes.collect { case s"$other:$n" if other == name => n.toInt }
end PatternSuite
