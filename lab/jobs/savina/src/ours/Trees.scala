package savina.ours

import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

/** The result of a child. */
case class Result(value: Long) derives Struct

def forkJoinCreation(count: Int, run: Run, answer: Promise[Long]): Behavior[Result] =
  Behavior.setup:
    for _ <- 1 to count do spawn(single(context.self), run = run) ! Task.Work
    sum(count): total =>
      answer.success(total)
      Behavior.stopped

def single(to: ActorRef[Result]): Behavior[Task] = Behavior.receive:
  case Task.Work =>
    to ! Result(1)
    Behavior.stopped

def fibonacciOf(n: Int, run: Run, answer: Promise[Long]): Behavior[Result] = Behavior.setup:
  spawn(fibonacci(n, context.self, run), run = run)
  sum(1): total =>
    answer.success(total)
    Behavior.stopped

def fibonacci(n: Int, to: ActorRef[Result], run: Run): Behavior[Result] = Behavior.setup:
  if n <= 2 then
    to ! Result(1)
    Behavior.stopped
  else
    spawn(fibonacci(n - 1, context.self, run), run = run)
    spawn(fibonacci(n - 2, context.self, run), run = run)
    sum(2): total =>
      to ! Result(total)
      Behavior.stopped

def skynetOf(leaves: Int, run: Run, answer: Promise[Long]): Behavior[Result] = Behavior.setup:
  spawn(skynet(0, leaves, context.self, run), run = run)
  sum(1): total =>
    answer.success(total)
    Behavior.stopped

def skynet(first: Int, leaves: Int, to: ActorRef[Result], run: Run): Behavior[Result] =
  Behavior.setup:
    if leaves == 1 then
      to ! Result(first)
      Behavior.stopped
    else
      val part = leaves / 10
      for i <- 0 until 10 do spawn(skynet(first + i * part, part, context.self, run), run = run)
      sum(10): total =>
        to ! Result(total)
        Behavior.stopped

/** Adds the results of `count` children. */
def sum(count: Int)(end: Long => Behavior[Result]): Behavior[Result] = Behavior.setup:
  var (left, total) = (count, 0L)
  Behavior.receive:
    case Result(value) =>
      left -= 1
      total += value
      if left > 0 then Behavior.same else end(total)
