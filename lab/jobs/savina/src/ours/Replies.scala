package savina.ours

import savina.{Logistic, Transfer}
import scala.concurrent.Promise
import undercroft.actor.*
import undercroft.struct.*

enum Series:
  case Next
  case Computed(term: Double)
  case Last(to: ActorRef[Double])

case class Compute(term: Double, to: ActorRef[Series])

def logisticMap(terms: Int, run: Run, answer: Promise[Long]): Behavior[Double] = Behavior.setup:
  val all =
    for i <- 0 until 10 yield
      val rates = spawn(computer(Logistic.rate(i)), run = run)
      spawn(series(Logistic.first(i), rates), run = run)
  for _ <- 1 to terms; series <- all do series ! Series.Next
  for series <- all do series ! Series.Last(context.self)
  var (left, total) = (10, 0L)
  Behavior.receive: term =>
    left -= 1
    total += Logistic.digest(term)
    if left > 0 then Behavior.same
    else
      answer.success(total)
      Behavior.stopped

def computer(rate: Double): Behavior[Compute] = Behavior.receive:
  case Compute(term, to) => to ! Series.Computed(Logistic.next(rate, term)); Behavior.same

/** Waits for a reply for each term; other messages are stashed meanwhile. */
def series(first: Double, computer: ActorRef[Compute]): Behavior[Series] = Behavior.setup:
  var term = first
  lazy val idle: Behavior[Series] = Behavior.receive:
    case Series.Next        => computer ! Compute(term, context.self); waiting
    case Series.Last(to)    => to ! term; Behavior.stopped
    case Series.Computed(_) => Behavior.unhandled
  lazy val waiting: Behavior[Series] = Behavior.receive:
    case Series.Computed(next) =>
      term = next
      context.unstash(1)
      idle
    case _ => context.stash(); Behavior.same
  idle

enum Account:
  case Pay(amount: Int, to: ActorRef[Account], teller: ActorRef[Teller])
  case Receive(amount: Int, from: ActorRef[Account])
  case Received
  case Close(teller: ActorRef[Teller])

enum Teller:
  case Transferred
  case Closed(account: Int, balance: Int)

def bank(transfers: Int, run: Run, answer: Promise[Long]): Behavior[Teller] = Behavior.setup:
  val accounts = for i <- 0 until 1000 yield spawn(account(i), run = run, mailbox = Waiting)
  for transfer <- Transfer.all(transfers) do
    accounts(transfer.from) ! Account.Pay(transfer.amount, accounts(transfer.to), context.self)
  var (left, open, total) = (transfers, 1000, 0L)
  Behavior.receive:
    case Teller.Transferred =>
      left -= 1
      if left == 0 then for account <- accounts do account ! Account.Close(context.self)
      Behavior.same
    case Teller.Closed(account, balance) =>
      open -= 1
      total += Transfer.digest(account, balance)
      if open > 0 then Behavior.same
      else
        answer.success(total)
        Behavior.stopped

/** An account that pays waits for the other one's reply; further payments are stashed meanwhile. */
def account(index: Int): Behavior[Account] = Behavior.setup:
  var balance = 0
  def receive(amount: Int, from: ActorRef[Account]): Behavior[Account] =
    balance += amount
    from ! Account.Received
    Behavior.same
  lazy val idle: Behavior[Account] = Behavior.receive:
    case Account.Pay(amount, to, teller) =>
      balance -= amount
      to ! Account.Receive(amount, context.self)
      waiting(teller)
    case Account.Receive(amount, from) => receive(amount, from)
    case Account.Close(teller)         => teller ! Teller.Closed(index, balance); Behavior.stopped
    case Account.Received              => Behavior.unhandled
  def waiting(teller: ActorRef[Teller]): Behavior[Account] = Behavior.receive:
    case Account.Received =>
      teller ! Teller.Transferred
      context.unstash(1)
      idle
    case Account.Receive(amount, from) => receive(amount, from)
    case _                             => context.stash(); Behavior.same
  idle
