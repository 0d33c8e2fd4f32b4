import java.util.concurrent.CountDownLatch
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.TestProbe

enum Query derives CanEqual:
  case Ask(text: String)
  case Returned

/** A pool of connections: a query waits in the stash until one returns. */
def connections(count: Int, served: ActorRef[String]): Behavior[Query] = Behavior.setup:
  var free = count
  Behavior.receive:
    case Query.Returned =>
      free += 1
      context.unstash(1) // one query, before the messages in the mailbox
      Behavior.same
    case Query.Ask(_) if free == 0 => context.stash(); Behavior.same
    case Query.Ask(text) =>
      free -= 1
      served ! text
      Behavior.same

def machine(start: CountDownLatch, served: ActorRef[String]): Behavior[String] = Behavior.receive:
  case "warm up" => start.await(); Behavior.same
  case "halt"    => served ! "halted"; Behavior.stopped
  case line      => served ! line; Behavior.same

/** Takes the answer first, then the words that came before it; waits for a second at most. */
def clerkOfWords(served: ActorRef[String]): Behavior[Int | String] = Behavior.process: inbox =>
  val answer = inbox.receiveFirst(10.seconds) { case n: Int => n }
  val word = inbox.receiveFirst(10.seconds) { case text: String => text }
  val none = inbox.receiveFirst(1.milli) { case text: String => text }
  served ! s"$answer $word $none"

@main def pekkoConveniences(): Unit =
  ActorSystem.scoped("market", listener = _ => ()):
    val probe = TestProbe[String]()

    val pool = spawn(connections(count = 1, probe.ref))
    for text <- List("a", "b", "c") do pool ! Query.Ask(text)
    pool ! Query.Returned
    println((probe.receiveMessage(), probe.receiveMessage()))
    probe.expectNoMessage(10.millis) // "c" waits for a connection

    val start = CountDownLatch(1)
    val press = spawn(machine(start, probe.ref), run = Run.Virtual)
    for line <- List("warm up", "line 1", "line 2") do press ! line
    press.tellPriority("halt") // before the lines that wait
    start.countDown()
    println(probe.receiveMessage())

    val clerk = spawn(clerkOfWords(probe.ref))
    clerk ! "page"
    clerk ! 42
    println(probe.receiveMessage())
end pekkoConveniences

// prints:
// (a,b)
// halted
// Some(42) Some(page) None
