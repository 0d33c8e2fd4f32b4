package savina.ours

import savina.Values
import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

case class Value(value: Long) derives Struct

def radixSort(count: Int, run: Run, answer: Promise[Long]): Behavior[Value] = Behavior.setup:
  val sorters = (0 until 60).foldRight(context.self): (bit, next) =>
    spawn(sorter(count, 1L << bit, next), run = run, mailbox = Waiting)
  spawn(source(count, sorters), run = run)
  var (left, digest) = (count, 0L)
  Behavior.receive:
    case Value(value) =>
      left -= 1
      digest = Values.add(digest, value)
      if left > 0 then Behavior.same
      else
        answer.success(digest)
        Behavior.stopped

def source(count: Int, to: ActorRef[Value]): Behavior[Value] = Behavior.setup:
  for value <- Values.random(count) do to ! Value(value)
  Behavior.stopped

/** Sends the values with a zero bit first. */
def sorter(count: Int, bit: Long, next: ActorRef[Value]): Behavior[Value] = Behavior.setup:
  val ones = new Array[Long](count)
  var (received, size) = (0, 0)
  Behavior.receive:
    case Value(value) =>
      received += 1
      if (value & bit) == 0 then next ! Value(value)
      else
        ones(size) = value
        size += 1
      if received < count then Behavior.same
      else
        for i <- 0 until size do next ! Value(ones(i))
        Behavior.stopped

enum Candidate derives Struct:
  case Number(value: Int)
  case End(primes: Int)

def primesBelow(limit: Int, run: Run, answer: Promise[Long]): Behavior[Int] = Behavior.setup:
  val first = spawn(sieve(2, context.self, run), run = run, mailbox = Waiting)
  spawn(candidates(limit, first), run = run)
  Behavior.receive: primes =>
    answer.success(primes)
    Behavior.stopped

def candidates(limit: Int, to: ActorRef[Candidate]): Behavior[Candidate] = Behavior.setup:
  for value <- 3 until limit by 2 do to ! Candidate.Number(value)
  to ! Candidate.End(0)
  Behavior.stopped

/** Keeps the first 1000 primes, and sends other candidates to the next actor. */
def sieve(prime: Int, to: ActorRef[Int], run: Run): Behavior[Candidate] = Behavior.setup:
  val primes = new Array[Int](1000)
  primes(0) = prime
  var size = 1
  var next = Option.empty[ActorRef[Candidate]]
  def isPrime(value: Int) =
    var i = 0
    while i < size && value % primes(i) != 0 do i += 1
    i == size
  Behavior.receive:
    case Candidate.Number(value) =>
      if isPrime(value) then
        if size < primes.length then
          primes(size) = value
          size += 1
        else
          next match
            case Some(actor) => actor ! Candidate.Number(value)
            case None => next = Some(spawn(sieve(value, to, run), run = run, mailbox = Waiting))
      Behavior.same
    case Candidate.End(count) =>
      next match
        case Some(actor) => actor ! Candidate.End(count + size)
        case None        => to ! count + size
      Behavior.same
