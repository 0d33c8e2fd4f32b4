import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

enum Login derives CanEqual:
  case Used, TimedOut

def login(ended: ActorRef[String]): Behavior[Login] = Behavior.setup:
  context.setReceiveTimeout(30.seconds, Login.TimedOut)
  Behavior.receive:
    case Login.Used     => Behavior.same
    case Login.TimedOut => ended ! context.self.name; Behavior.stopped

enum Seats:
  case Free(to: ActorRef[Int])
  case Take
  case TakeIfFree

def seats(count: Int): Behavior[Seats] = Behavior.setup:
  var free = count
  Behavior.receive:
    case Seats.Free(to)   => to ! free; Behavior.same
    case Seats.Take       => free -= 1; assert(free >= 0, "sold twice"); Behavior.same
    case Seats.TakeIfFree => if free > 0 then free -= 1; Behavior.same

def asksFirst(seats: ActorRef[Seats]): Behavior[String] = Behavior.process: inbox =>
  inbox.receive()
  if seats.ask(1.second)(Seats.Free(_)) > 0 then seats ! Seats.Take

def asksOnce(seats: ActorRef[Seats]): Behavior[String] = Behavior.receive: _ =>
  seats ! Seats.TakeIfFree
  Behavior.same

class SessionTimeoutTest extends munit.FunSuite:
  test("a login ends 30 seconds after its last use"):
    simulate(seeds = 100):
      val ended = Probe[String]()
      val ada = spawn(login(ended.ref), "ada")
      simulation.advance(29.seconds) // virtual time: takes no real time
      ada ! Login.Used
      simulation.advance(29.seconds)
      assertEquals(ended.received, Vector())
      simulation.advance(2.seconds)
      assertEquals(ended.receiveMessage(), "ada")

  def theLastSeatIsSoldOnce(buyer: ActorRef[Seats] => Behavior[String]): Unit =
    simulate(seeds = 1000): // a thousand orders of events
      val office = spawn(seats(1), "office")
      for name <- List("ann", "bob") do spawn(buyer(office), name) ! "buy"
      simulation.runUntilIdle()

  test("the last seat is sold once"):
    theLastSeatIsSoldOnce(asksOnce)
end SessionTimeoutTest

@main def sessionTimeout(): Unit =
  val suite = SessionTimeoutTest()
  for test <- suite.munitTests() do
    test.body()
    println(s"passes: ${test.name}")
  try suite.theLastSeatIsSoldOnce(asksFirst)
  catch
    case failure: munit.FailException =>
      println(failure.getMessage.linesIterator.dropWhile(!_.startsWith("seed")).mkString("\n"))

// prints:
// passes: a login ends 30 seconds after its last use
// passes: the last seat is sold once
// seed 1 of 1000 fails; here in 11 steps (of 11), 0 choices out of order:
//     1       0.005 ms  office begins
//     2       0.014 ms  ann begins
//     3       0.014 ms  bob begins
//     4       0.016 ms  ann <- buy   from the test
//     5       0.020 ms  bob <- buy   from the test
//     6       0.023 ms  office <- Free(the asker of office)   from ann
//     7       0.033 ms  ann goes on
//     8       0.034 ms  office <- Free(the asker of office)   from bob
//     9       0.034 ms  bob goes on
//    10       0.042 ms  office <- Take   from ann
//    11       0.042 ms  office <- Take   from bob
//                       office failed: java.lang.AssertionError: assertion failed: sold twice; Stop
// replay it with simulate(replay = "1@")
