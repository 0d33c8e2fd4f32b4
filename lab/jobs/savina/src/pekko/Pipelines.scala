package savina.pekko

import savina.Values
import scala.concurrent.Promise
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors

case class Value(value: Long)

def radixSort(count: Int, answer: Promise[Long]): Behavior[Value] = Behaviors.setup: context =>
  val sorters = (0 until 60).foldRight(context.self): (bit, next) =>
    context.spawnAnonymous(sorter(count, 1L << bit, next))
  context.spawnAnonymous(source(count, sorters))
  var (left, digest) = (count, 0L)
  Behaviors.receiveMessage:
    case Value(value) =>
      left -= 1
      digest = Values.add(digest, value)
      if left > 0 then Behaviors.same
      else
        answer.success(digest)
        Behaviors.stopped

def source(count: Int, to: ActorRef[Value]): Behavior[Value] = Behaviors.setup: context =>
  for value <- Values.random(count) do to ! Value(value)
  Behaviors.stopped

/** Sends the values with a zero bit first. */
def sorter(count: Int, bit: Long, next: ActorRef[Value]): Behavior[Value] =
  Behaviors.setup: context =>
    val ones = new Array[Long](count)
    var (received, size) = (0, 0)
    Behaviors.receiveMessage:
      case Value(value) =>
        received += 1
        if (value & bit) == 0 then next ! Value(value)
        else
          ones(size) = value
          size += 1
        if received < count then Behaviors.same
        else
          for i <- 0 until size do next ! Value(ones(i))
          Behaviors.stopped

enum Candidate:
  case Number(value: Int)
  case End(primes: Int)

def primesBelow(limit: Int, answer: Promise[Long]): Behavior[Int] = Behaviors.setup: context =>
  val first = context.spawnAnonymous(sieve(2, context.self))
  context.spawnAnonymous(candidates(limit, first))
  Behaviors.receiveMessage: primes =>
    answer.success(primes)
    Behaviors.stopped

def candidates(limit: Int, to: ActorRef[Candidate]): Behavior[Candidate] =
  Behaviors.setup: context =>
    for value <- 3 until limit by 2 do to ! Candidate.Number(value)
    to ! Candidate.End(0)
    Behaviors.stopped

/** Keeps the first 1000 primes, and sends other candidates to the next actor. */
def sieve(prime: Int, to: ActorRef[Int]): Behavior[Candidate] = Behaviors.setup: context =>
  val primes = new Array[Int](1000)
  primes(0) = prime
  var size = 1
  var next = Option.empty[ActorRef[Candidate]]
  def isPrime(value: Int) =
    var i = 0
    while i < size && value % primes(i) != 0 do i += 1
    i == size
  Behaviors.receiveMessage:
    case Candidate.Number(value) =>
      if isPrime(value) then
        if size < primes.length then
          primes(size) = value
          size += 1
        else
          next match
            case Some(actor) => actor ! Candidate.Number(value)
            case None        => next = Some(context.spawnAnonymous(sieve(value, to)))
      Behaviors.same
    case Candidate.End(count) =>
      next match
        case Some(actor) => actor ! Candidate.End(count + size)
        case None        => to ! count + size
      Behaviors.same
