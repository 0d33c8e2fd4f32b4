import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.duration.*
import undercroft.actor.*

/** Counts the messages that it has handled; each takes 20 microseconds. */
def slowWriter(handled: AtomicInteger): Behavior[Int] = Behavior.receive: _ =>
  val until = System.nanoTime() + 20_000
  while System.nanoTime() < until do Thread.onSpinWait()
  handled.incrementAndGet()
  Behavior.same

/** Handles no message before `start`. */
def lateWriter(start: CountDownLatch): Behavior[Int] = Behavior.receive: _ =>
  start.await()
  Behavior.same

@main def backpressure(): Unit =
  val handled = AtomicInteger()
  val system = ActorSystem("writers", listener = _ => ()) // does not log
  given ActorSystem = system
  val writer = spawn(slowWriter(handled), mailbox = Mailbox(100, Overflow.Backpressure))
  var mostAhead = 0
  for i <- 1 to 5000 do
    writer ! i // waits until half of the mailbox is free if it is full
    mostAhead = mostAhead.max(i - handled.get)
  println(mostAhead <= 102) // 100 waiting, one in the handler, one more by a race
  println(system.awaitQuiescence(1.minute))
  println(handled.get)

  val start = CountDownLatch(1)
  val bounded = spawn(lateWriter(start), run = Run.Virtual, mailbox = Mailbox(100)) // Overflow.Fail
  try for i <- 1 to 5000 do bounded ! i
  catch case _: MailboxFullException => println("full: the sender decides")

  val newest = Mailbox(1, Overflow.DropOldest)
  val latest = spawn(lateWriter(start), run = Run.Virtual, mailbox = newest)
  for i <- 1 to 5000 do latest ! i // never waits and never fails
  start.countDown()
  system.awaitQuiescence(1.minute)
  println(system.observe.audit.deadLetters(DeadLetterReason.Full) > 0)
  println(system.observe.audit.isExact)
  system.shutdown()
end backpressure

// prints:
// true
// true
// 5000
// full: the sender decides
// true
// true
