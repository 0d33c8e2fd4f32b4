import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

enum Vault:
  case Deposit(number: Int, amount: Int, confirmTo: ActorRef[Courier])
  case Read(to: Reply[Int])

enum Courier:
  case Deliver(amount: Int)
  case Confirmed(number: Int)
  case Repeat

def trustingVault: Behavior[Vault] = Behavior.setup:
  var sum = 0
  Behavior.receive:
    case Vault.Deposit(number, amount, confirmTo) =>
      sum += amount // but it may be a repeated deposit
      confirmTo ! Courier.Confirmed(number)
      Behavior.same
    case Vault.Read(to) => to ! sum; Behavior.same

def numberedVault: Behavior[Vault] = Behavior.setup:
  var sum = 0
  var seen = Set.empty[Int]
  Behavior.receive:
    case Vault.Deposit(number, amount, confirmTo) =>
      if !seen(number) then sum += amount
      seen += number
      confirmTo ! Courier.Confirmed(number)
      Behavior.same
    case Vault.Read(to) => to ! sum; Behavior.same

/** Sends a deposit again until it is confirmed. */
def courier(vault: ActorRef[Vault], self: => ActorRef[Courier]): Behavior[Courier] = Behavior.setup:
  var open = Map.empty[Int, Int]
  var count = 0
  context.startTimerWithFixedDelay("repeat", Courier.Repeat, 100.millis)
  Behavior.receive: message =>
    message match
      case Courier.Deliver(amount) =>
        count += 1
        open = open.updated(count, amount)
      case Courier.Confirmed(number) => open -= number
      case Courier.Repeat            => ()
    for (number, amount) <- open do vault ! Vault.Deposit(number, amount, self)
    Behavior.same

class VaultTest extends munit.FunSuite:
  def arrives(vault: Behavior[Vault]): Unit =
    simulate(seeds = 100):
      val network = SimulatedNetwork(loss = 20, maxDelay = 50.millis)
      val (branch, center) = (network.node("branch"), network.node("center"))
      val safe = center.spawn("vault")(vault)
      lazy val van: ActorRef[Courier] =
        branch.spawn("courier")(courier(branch.remote(safe), center.remote(van)))
      van ! Courier.Deliver(250)
      network.partition(branch, center)
      simulation.advance(1.second)
      network.heal()
      simulation.advance(1.minute)
      assertEquals(safe.ask(1.second)(Vault.Read(_)), 250)

@main def simulatedNodes(): Unit =
  val test = VaultTest()
  test.arrives(numberedVault)
  println("a numbered deposit counts once")
  try test.arrives(trustingVault)
  catch case _: munit.FailException => println("a repeated deposit is found")

// prints:
// a numbered deposit counts once
// a repeated deposit is found
