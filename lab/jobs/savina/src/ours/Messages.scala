package savina.ours

import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

/** A mailbox whose senders wait while it is full. */
val Waiting: Mailbox = Mailbox(overflow = Overflow.Backpressure)

case class Ping(number: Int) derives Struct
case class Pong(number: Int) derives Struct

def pingPong(count: Int, run: Run, answer: Promise[Long]): Behavior[Pong] = Behavior.setup:
  val partner = spawn(ponger(context.self), run = run)
  partner ! Ping(1)
  Behavior.receive:
    case Pong(number) =>
      if number < count then
        partner ! Ping(number + 1)
        Behavior.same
      else
        answer.success(number)
        Behavior.stopped

def ponger(to: ActorRef[Pong]): Behavior[Ping] = Behavior.receive:
  case Ping(number) => to ! Pong(number); Behavior.same

enum Counter:
  case Increment
  case Retrieve(to: ActorRef[Long])

def counting(count: Int, run: Run, answer: Promise[Long]): Behavior[Long] = Behavior.setup:
  val target = spawn(counter, run = run, mailbox = Waiting)
  for _ <- 1 to count do target ! Counter.Increment
  target ! Counter.Retrieve(context.self)
  Behavior.receive: total =>
    answer.success(total)
    Behavior.stopped

def counter: Behavior[Counter] = Behavior.setup:
  var count = 0L
  Behavior.receive:
    case Counter.Increment    => count += 1; Behavior.same
    case Counter.Retrieve(to) => to ! count; Behavior.same

enum Task:
  case Work

def forkJoinThroughput(count: Int, run: Run, answer: Promise[Long]): Behavior[Int] =
  Behavior.setup:
    val workers =
      for _ <- 1 to 60 yield spawn(worker(count, context.self), run = run, mailbox = Waiting)
    for _ <- 1 to count; worker <- workers do worker ! Task.Work
    var (left, total) = (workers.size, 0L)
    Behavior.receive: handled =>
      left -= 1
      total += handled
      if left > 0 then Behavior.same
      else
        answer.success(total)
        Behavior.stopped

/** Reports when it has handled `count` messages. */
def worker(count: Int, to: ActorRef[Int]): Behavior[Task] = Behavior.setup:
  var handled = 0
  Behavior.receive:
    case Task.Work =>
      handled += 1
      if handled < count then Behavior.same
      else
        to ! handled
        Behavior.stopped

enum Token derives Struct:
  case Hop(left: Int)
  case Done(node: Int)

def threadRing(hops: Int, run: Run, answer: Promise[Long]): Behavior[Token] = Behavior.setup:
  val next = spawn(node(1, context.self, run), run = run)
  next ! Token.Hop(hops - 1)
  Behavior.receive:
    case Token.Hop(0)     => context.self ! Token.Done(0); Behavior.same
    case Token.Hop(left)  => next ! Token.Hop(left - 1); Behavior.same
    case Token.Done(node) => answer.success(node); Behavior.stopped

def node(index: Int, first: ActorRef[Token], run: Run): Behavior[Token] = Behavior.setup:
  val next = if index == 99 then first else spawn(node(index + 1, first, run), run = run)
  Behavior.receive:
    case Token.Hop(0)    => first ! Token.Done(index); Behavior.same
    case Token.Hop(left) => next ! Token.Hop(left - 1); Behavior.same
    case Token.Done(_)   => Behavior.unhandled
