package savina.pekko

import savina.{Logistic, Transfer}
import scala.concurrent.Promise
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors

enum Series:
  case Next
  case Computed(term: Double)
  case Last(to: ActorRef[Double])

case class Compute(term: Double, to: ActorRef[Series])

def logisticMap(terms: Int, answer: Promise[Long]): Behavior[Double] = Behaviors.setup: context =>
  val all =
    for i <- 0 until 10 yield
      val rates = context.spawnAnonymous(computer(Logistic.rate(i)))
      context.spawnAnonymous(series(Logistic.first(i), rates))
  for _ <- 1 to terms; series <- all do series ! Series.Next
  for series <- all do series ! Series.Last(context.self)
  var (left, total) = (10, 0L)
  Behaviors.receiveMessage: term =>
    left -= 1
    total += Logistic.digest(term)
    if left > 0 then Behaviors.same
    else
      answer.success(total)
      Behaviors.stopped

def computer(rate: Double): Behavior[Compute] = Behaviors.receiveMessage:
  case Compute(term, to) => to ! Series.Computed(Logistic.next(rate, term)); Behaviors.same

/** Waits for a reply for each term; other messages are stashed meanwhile. */
def series(first: Double, computer: ActorRef[Compute]): Behavior[Series] =
  Behaviors.setup: context =>
    Behaviors.withStash(65_536): stash =>
      var term = first
      lazy val idle: Behavior[Series] = Behaviors.receiveMessage:
        case Series.Next =>
          computer ! Compute(term, context.self)
          waiting
        case Series.Last(to) =>
          to ! term
          Behaviors.stopped
        case Series.Computed(_) => Behaviors.unhandled
      lazy val waiting: Behavior[Series] = Behaviors.receiveMessage:
        case Series.Computed(next) =>
          term = next
          stash.unstash(idle, 1, identity)
        case other =>
          stash.stash(other)
          Behaviors.same
      idle

enum Account:
  case Pay(amount: Int, to: ActorRef[Account], teller: ActorRef[Teller])
  case Receive(amount: Int, from: ActorRef[Account])
  case Received
  case Close(teller: ActorRef[Teller])

enum Teller:
  case Transferred
  case Closed(account: Int, balance: Int)

def bank(transfers: Int, answer: Promise[Long]): Behavior[Teller] = Behaviors.setup: context =>
  val accounts = for i <- 0 until 1000 yield context.spawnAnonymous(account(i))
  for transfer <- Transfer.all(transfers) do
    accounts(transfer.from) ! Account.Pay(transfer.amount, accounts(transfer.to), context.self)
  var (left, open, total) = (transfers, 1000, 0L)
  Behaviors.receiveMessage:
    case Teller.Transferred =>
      left -= 1
      if left == 0 then for account <- accounts do account ! Account.Close(context.self)
      Behaviors.same
    case Teller.Closed(account, balance) =>
      open -= 1
      total += Transfer.digest(account, balance)
      if open > 0 then Behaviors.same
      else
        answer.success(total)
        Behaviors.stopped

/** An account that pays waits for the other one's reply; further payments are stashed meanwhile. */
def account(index: Int): Behavior[Account] = Behaviors.setup: context =>
  Behaviors.withStash(65_536): stash =>
    var balance = 0
    def receive(amount: Int, from: ActorRef[Account]): Behavior[Account] =
      balance += amount
      from ! Account.Received
      Behaviors.same
    lazy val idle: Behavior[Account] = Behaviors.receiveMessage:
      case Account.Pay(amount, to, teller) =>
        balance -= amount
        to ! Account.Receive(amount, context.self)
        waiting(teller)
      case Account.Receive(amount, from) => receive(amount, from)
      case Account.Close(teller) =>
        teller ! Teller.Closed(index, balance)
        Behaviors.stopped
      case Account.Received => Behaviors.unhandled
    def waiting(teller: ActorRef[Teller]): Behavior[Account] = Behaviors.receiveMessage:
      case Account.Received =>
        teller ! Teller.Transferred
        stash.unstash(idle, 1, identity)
      case Account.Receive(amount, from) => receive(amount, from)
      case other =>
        stash.stash(other)
        Behaviors.same
    idle
