import scala.concurrent.duration.*
import undercroft.actor.*

enum Account:
  case Deposit(amount: Int)
  case Balance(to: ActorRef[Int])

def account: Behavior[Account] = Behavior.setup: // created for each actor that is spawned
  var sum = 0
  Behavior.receive:
    case Account.Deposit(amount) => sum += amount; Behavior.same
    case Account.Balance(to)     => to ! sum; Behavior.same

@main def actors(): Unit =
  ActorSystem.scoped("bank"):
    val mine = spawn(account) // by turns with others, on the system's workers
    val ours = spawn(account, run = Run.Virtual) // the same code, on a virtual thread of its own
    for _ <- 1 to 10 do
      mine ! Account.Deposit(5)
      ours ! Account.Deposit(7)
    println(mine.ask(10.seconds)(Account.Balance(_)))
    println(ours.ask(10.seconds)(Account.Balance(_)))

// prints:
// 50
// 70
