import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

enum Purse:
  case Get(to: ActorRef[Int])
  case Set(sum: Int)
  case Add(amount: Int)

def purse: Behavior[Purse] = Behavior.setup:
  var sum = 0
  Behavior.receive:
    case Purse.Get(to)     => to ! sum; Behavior.same
    case Purse.Set(now)    => sum = now; Behavior.same
    case Purse.Add(amount) => sum += amount; Behavior.same

def hasty(purse: ActorRef[Purse]): Behavior[Int] = Behavior.process: inbox =>
  val amount = inbox.receive()
  val sum = purse.ask(1.second)(Purse.Get(_))
  purse ! Purse.Set(sum + amount) // but it may have changed since

def careful(purse: ActorRef[Purse]): Behavior[Int] = Behavior.receive: amount =>
  purse ! Purse.Add(amount)
  Behavior.same

class PurseTest extends munit.FunSuite:
  def bothArePaid(payer: ActorRef[Purse] => Behavior[Int]): Unit =
    simulate(seeds = 1000): // a thousand orders of events, each in one thread
      val box = spawn(purse, "purse")
      for name <- List("ann", "bob") do spawn(payer(box), name) ! 1
      simulation.runUntilIdle() // until nothing is left to happen
      assertEquals(box.ask(1.second)(Purse.Get(_)), 2)

  test("both are paid"):
    bothArePaid(careful)

  test("a year of reminders takes a moment"):
    simulate(seeds = 10):
      val probe = Probe[String]()
      val reminder = Behavior.setup[String]:
        context.startTimerAtFixedRate("daily", "remind", 1.day)
        Behavior.receive { s =>
          probe.ref ! s
          Behavior.same
        }
      spawn(reminder): Unit
      simulation.advance(365.days) // of its own time
      assertEquals(probe.received.size, 365)
end PurseTest

@main def simulated(): Unit =
  val suite = PurseTest()
  for test <- suite.munitTests() do
    test.body()
    println(s"passes: ${test.name}")
  try suite.bothArePaid(hasty)
  catch
    case failure: munit.FailException =>
      println(failure.getMessage.linesIterator.dropWhile(!_.startsWith("seed")).mkString("\n"))

// prints:
// passes: both are paid
// passes: a year of reminders takes a moment
// seed 1 of 1000 fails; here in 12 steps (of 12), 0 choices out of order:
//     1       0.005 ms  purse begins
//     2       0.014 ms  ann begins
//     3       0.014 ms  bob begins
//     4       0.016 ms  ann <- 1   from the test
//     5       0.020 ms  bob <- 1   from the test
//     6       0.023 ms  purse <- Get(the asker of purse)   from ann
//     7       0.033 ms  ann goes on
//     8       0.034 ms  purse <- Get(the asker of purse)   from bob
//     9       0.034 ms  bob goes on
//    10       0.042 ms  purse <- Set(1)   from ann
//    11       0.042 ms  purse <- Set(1)   from bob
//    12       0.045 ms  purse <- Get(the asker of purse)   from the test
// replay it with simulate(replay = "1@")
