package savina.pekko

import scala.concurrent.Promise
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors

/** The result of a child. */
case class Result(value: Long)

def forkJoinCreation(count: Int, answer: Promise[Long]): Behavior[Result] =
  Behaviors.setup: context =>
    for _ <- 1 to count do context.spawnAnonymous(single(context.self)) ! Task.Work
    sum(count): total =>
      answer.success(total)
      Behaviors.stopped

def single(to: ActorRef[Result]): Behavior[Task] = Behaviors.receiveMessage:
  case Task.Work =>
    to ! Result(1)
    Behaviors.stopped

def fibonacciOf(n: Int, answer: Promise[Long]): Behavior[Result] = Behaviors.setup: context =>
  context.spawnAnonymous(fibonacci(n, context.self))
  sum(1): total =>
    answer.success(total)
    Behaviors.stopped

def fibonacci(n: Int, to: ActorRef[Result]): Behavior[Result] = Behaviors.setup: context =>
  if n <= 2 then
    to ! Result(1)
    Behaviors.stopped
  else
    context.spawnAnonymous(fibonacci(n - 1, context.self))
    context.spawnAnonymous(fibonacci(n - 2, context.self))
    sum(2): total =>
      to ! Result(total)
      Behaviors.stopped

def skynetOf(leaves: Int, answer: Promise[Long]): Behavior[Result] = Behaviors.setup: context =>
  context.spawnAnonymous(skynet(0, leaves, context.self))
  sum(1): total =>
    answer.success(total)
    Behaviors.stopped

def skynet(first: Int, leaves: Int, to: ActorRef[Result]): Behavior[Result] =
  Behaviors.setup: context =>
    if leaves == 1 then
      to ! Result(first)
      Behaviors.stopped
    else
      val part = leaves / 10
      for i <- 0 until 10 do context.spawnAnonymous(skynet(first + i * part, part, context.self))
      sum(10): total =>
        to ! Result(total)
        Behaviors.stopped

/** Adds the results of `count` children. */
def sum(count: Int)(end: Long => Behavior[Result]): Behavior[Result] = Behaviors.setup: context =>
  var (left, total) = (count, 0L)
  Behaviors.receiveMessage:
    case Result(value) =>
      left -= 1
      total += value
      if left > 0 then Behaviors.same else end(total)
