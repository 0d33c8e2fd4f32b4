package undercroft.actor
package testkit

import java.util.ArrayDeque
import java.util.concurrent.locks.ReentrantLock
import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** An actor that records the messages it receives, on real threads: for tests of a whole program,
  * with its own pools and files. Other tests use a [[Probe]] in a [[simulate simulation]], whose
  * waits take no real time. Thread-safe.
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  * ActorSystem.scoped("town"):
  *   val probe = TestProbe[String]()
  *   val greeter = spawn(Behavior.receive[String] { name =>
  *     probe.ref ! "Hello, " + name
  *     Behavior.same
  *   })
  *   greeter ! "Ada"
  *   println(probe.receiveMessage()) // Hello, Ada
  * }}}
  */
final class TestProbe[T] private (name: String, scope: ActorScope):
  private val lock = ReentrantLock()
  private val arrival = lock.newCondition()

  /** The messages that were not returned yet, oldest first. Guarded by the lock. */
  private val unseen = ArrayDeque[T]()

  @volatile private var messages = Vector.empty[T]

  /** The reference to send messages to. They are recorded on the sender's thread. */
  val ref: ActorRef[T] = spawn(
    Behavior.receive[T] { message =>
      add(message)
      Behavior.same
    },
    name,
    Run.Caller
  )(using scope)

  private def add(message: T): Unit =
    lock.lock()
    try
      messages = messages :+ message
      unseen.add(message): Unit
      arrival.signalAll()
    finally lock.unlock()

  /** Waits up to `within` for a message, and calls `take` with the queue, empty or not. */
  private def await(within: FiniteDuration)(take: ArrayDeque[T] => T | Null): T | Null =
    lock.lockInterruptibly()
    try
      var nanos = within.toNanos
      while unseen.isEmpty && nanos > 0 do nanos = arrival.awaitNanos(nanos)
      take(unseen)
    finally lock.unlock()

  /** All messages received so far, whether [[receiveMessage]] has returned them or not.
    *
    * {{{
    * import undercroft.actor.*
    * ActorSystem.scoped("town"):
    *   val probe = TestProbe[Int]()
    *   for n <- 1 to 3 do probe.ref ! n
    *   println(probe.received) // Vector(1, 2, 3)
    * }}}
    */
  def received: Vector[T] = messages

  /** Returns the oldest message that was not returned yet; waits until there is one.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * ActorSystem.scoped("town"):
    *   val probe = TestProbe[Int]()
    *   probe.ref ! 7
    *   println(probe.receiveMessage(within = 1.second)) // 7
    * }}}
    *
    * @throws java.lang.AssertionError
    *   if no message arrives within `within`
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    */
  def receiveMessage(within: FiniteDuration = TestProbe.DefaultTimeout): T =
    val message = await(within)(_.poll)
    if message == null then
      val last = received.lastOption.fold("")(last => s"; the last one was ${ValueText.of(last)}")
      throw AssertionError(s"$name got no message within $within$last")
    message.asInstanceOf[T]

  /** Waits for `within` and fails if a message arrives; [[receiveMessage]] then returns it.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * ActorSystem.scoped("town"):
    *   TestProbe[Int]().expectNoMessage(within = 10.millis)
    * }}}
    *
    * @throws java.lang.AssertionError
    *   if a message arrives, or an earlier one was not returned by [[receiveMessage]] yet
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    */
  def expectNoMessage(within: FiniteDuration): Unit =
    val message = await(within)(_.peek)
    if message != null then
      val text = ValueText.of(message)
      throw AssertionError(s"$name expected no message within $within, but got $text")
end TestProbe

object TestProbe:
  /** The default timeout of [[TestProbe.receiveMessage]]. */
  val DefaultTimeout: FiniteDuration = 10.seconds

  /** Creates a probe in an actor system or in an actor. */
  def apply[T](name: String = "probe")(using scope: ActorScope): TestProbe[T] =
    new TestProbe[T](name, scope)
