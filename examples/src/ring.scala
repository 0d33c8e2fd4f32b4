import java.util.concurrent.CountDownLatch
import undercroft.actor.*

enum RingMessage derives CanEqual:
  case Start, Stop, Cancel
  case Token(id: Int, value: Int)

import RingMessage.*

/** Counts the rounds of its own token and forwards all others. The last round terminates the ring.
  */
def node(
    id: Int,
    rounds: Int,
    timer: ActorRef[RingMessage],
    next: => ActorRef[RingMessage]
): Behavior[RingMessage] = Behavior.receive:
  case Start =>
    next ! Token(id, 0)
    Behavior.same
  case Token(`id`, n) if n + 1 == rounds =>
    timer ! Stop
    next ! Cancel
    Behavior.same
  case Token(`id`, n) =>
    next ! Token(id, n + 1)
    Behavior.same
  case Cancel =>
    next ! Cancel
    Behavior.stopped
  case token =>
    next ! token
    Behavior.same

def timer(done: Double => Unit): Behavior[RingMessage] = Behavior.setup:
  var started = 0L
  Behavior.receive:
    case Start =>
      started = System.nanoTime
      Behavior.same
    case Stop =>
      done((System.nanoTime - started) / 1e9)
      Behavior.stopped
    case _ => Behavior.unhandled

@main def ring(arguments: String*): Unit =
  val rounds = arguments.headOption.fold(1000)(_.toInt)
  val nodes = 100
  for run <- Run.standard do
    val ended = CountDownLatch(1)
    var seconds = 0.0
    val system = ActorSystem("ring")
    val clock = spawn(
      timer { s =>
        seconds = s; ended.countDown()
      },
      run = run
    )(using system)
    lazy val ring: Vector[ActorRef[RingMessage]] = Vector.tabulate(nodes): id =>
      spawn(node(id, rounds, clock, ring((id + 1) % nodes)), run = run)(using system)
    clock ! Start
    ring(0) ! Start
    ended.await()
    system.close() // after all pending messages have been handled
    val handled = system.observe.audit.handled
    println(s"$run: the token went round $rounds times, $handled messages were handled")
    if arguments.nonEmpty then
      println(f"$seconds%.3f s, ${seconds * 1e9 / rounds / nodes}%.1f ns a hop")
  end for
end ring

// prints:
// Workers: the token went round 1000 times, 100103 messages were handled
// Virtual: the token went round 1000 times, 100103 messages were handled
// Thread: the token went round 1000 times, 100103 messages were handled
// Caller: the token went round 1000 times, 100103 messages were handled
