import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

enum Caller:
  case Call, Done, Late

case class Request(id: Int, from: ActorRef[Caller])

def caller(server: ActorRef[Request]): Behavior[Caller] = Behavior.setup:
  Behavior.receive:
    case Caller.Done => context.cancelTimer("late"); Behavior.same
    case _ => // the first call, or no reply within a second
      context.startSingleTimer("late", Caller.Late, 1.second)
      server ! Request(1, self)
      Behavior.same

def forgetful(serve: Int => Unit): Behavior[Request] = Behavior.receive: request =>
  serve(request.id)
  request.from ! Caller.Done
  Behavior.same

def idempotent(serve: Int => Unit): Behavior[Request] = Behavior.setup:
  var ids = Set[Int]()
  Behavior.receive: request =>
    if !ids(request.id) then serve(request.id)
    ids += request.id
    request.from ! Caller.Done
    Behavior.same

class CallerTest extends munit.FunSuite:
  def isServedOnce(server: (Int => Unit) => Behavior[Request]): Unit =
    simulate(seeds = 500, latency = 2.seconds): // a reply may take two seconds
      var count = 0
      spawn(caller(spawn(server(_ => count += 1)))) ! Caller.Call
      simulation.runUntilIdle()
      simulation.advance(1.minute)
      assertEquals(count, 1)

  test("a repeated request is served once"):
    isServedOnce(idempotent)

@main def slowReplies(): Unit =
  val suite = CallerTest()
  for test <- suite.munitTests() do
    test.body()
    println(s"passes: ${test.name}")
  try suite.isServedOnce(forgetful)
  catch case _: munit.FailException => println("fails: a request is served twice")

// prints:
// passes: a repeated request is served once
// fails: a request is served twice
