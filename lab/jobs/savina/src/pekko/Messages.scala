package savina.pekko

import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.Promise

case class Ping(number: Int, replyTo: ActorRef[Pong])
case class Pong(number: Int)

def pingPong(count: Int, answer: Promise[Long]): Behavior[Pong] = Behaviors.setup: context =>
  val partner = context.spawnAnonymous(ponger)
  partner ! Ping(1, context.self)
  Behaviors.receiveMessage:
    case Pong(number) =>
      if number < count then
        partner ! Ping(number + 1, context.self)
        Behaviors.same
      else
        answer.success(number)
        Behaviors.stopped

def ponger: Behavior[Ping] = Behaviors.receiveMessage:
  case Ping(number, replyTo) =>
    replyTo ! Pong(number)
    Behaviors.same

enum Counter:
  case Increment
  case Retrieve(replyTo: ActorRef[Long])

def counting(count: Int, answer: Promise[Long]): Behavior[Long] = Behaviors.setup: context =>
  val target = context.spawnAnonymous(counter)
  for _ <- 1 to count do target ! Counter.Increment
  target ! Counter.Retrieve(context.self)
  Behaviors.receiveMessage: total =>
    answer.success(total)
    Behaviors.stopped

def counter: Behavior[Counter] = Behaviors.setup: _ =>
  var count = 0L
  Behaviors.receiveMessage:
    case Counter.Increment =>
      count += 1
      Behaviors.same
    case Counter.Retrieve(replyTo) =>
      replyTo ! count
      Behaviors.same

enum Task:
  case Work

def forkJoinThroughput(count: Int, answer: Promise[Long]): Behavior[Int] =
  Behaviors.setup: context =>
    val workers = for _ <- 1 to 60 yield context.spawnAnonymous(worker(count, context.self))
    for _ <- 1 to count; worker <- workers do worker ! Task.Work
    var (left, total) = (workers.size, 0L)
    Behaviors.receiveMessage: handled =>
      left -= 1
      total += handled
      if left > 0 then Behaviors.same
      else
        answer.success(total)
        Behaviors.stopped

/** Reports when it has handled `count` messages. */
def worker(count: Int, to: ActorRef[Int]): Behavior[Task] = Behaviors.setup: _ =>
  var handled = 0
  Behaviors.receiveMessage:
    case Task.Work =>
      handled += 1
      if handled < count then Behaviors.same
      else
        to ! handled
        Behaviors.stopped

enum Token:
  case Hop(left: Int)
  case Done(node: Int)

def threadRing(hops: Int, answer: Promise[Long]): Behavior[Token] = Behaviors.setup: context =>
  val next = context.spawnAnonymous(node(1, context.self))
  next ! Token.Hop(hops - 1)
  Behaviors.receiveMessage:
    case Token.Hop(0) =>
      context.self ! Token.Done(0)
      Behaviors.same
    case Token.Hop(left) =>
      next ! Token.Hop(left - 1)
      Behaviors.same
    case Token.Done(node) =>
      answer.success(node)
      Behaviors.stopped

def node(index: Int, first: ActorRef[Token]): Behavior[Token] = Behaviors.setup: context =>
  val next = if index == 99 then first else context.spawnAnonymous(node(index + 1, first))
  Behaviors.receiveMessage:
    case Token.Hop(0) =>
      first ! Token.Done(index)
      Behaviors.same
    case Token.Hop(left) =>
      next ! Token.Hop(left - 1)
      Behaviors.same
    case Token.Done(_) => Behaviors.unhandled
