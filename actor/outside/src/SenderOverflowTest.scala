package outside.actor

import scala.concurrent.duration.*
import scala.util.Try
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** Programs that recurse without end and send in each call: the stack overflows in a send. */
class SenderOverflowTest extends undercroft.tools.RoundsSuite:
  private def run(main: String, paddings: Int): ForkedJvm.Result =
    val flags = ForkedJvm.Granted :+ "-XX:TieredStopAtLevel=1"
    ForkedJvm.run(main, flags, Seq(s"$paddings"))

  testRounds(
    "an actor receives all messages that were sent before and after an overflow of a sender"
  )(3, 20): paddings =>
    val jvm = run("outside.actor.RecursiveSenders", paddings)
    val overflows = 6 * paddings
    assertEquals(
      jvm.last,
      s"overflows: $overflows, actors that respond: $overflows, missing messages: 0",
      jvm.output
    )

  testRounds(
    "actors that stop on the stack of a sender that overflows end, and so does their system"
  )(1, 10): paddings =>
    val jvm = run("outside.actor.StoppedByRecursion", paddings)
    val overflows = 2 * paddings
    assertEquals(jvm.last, s"overflows: $overflows, systems that ended: $overflows", jvm.output)
end SenderOverflowTest

object Recursion:
  /** Makes nested calls, each after a step with its number, until the stack of a new thread
    * overflows. Returns the number of completed steps, or None without an overflow.
    *
    * @param padding
    *   the number of calls before, so that the overflow is at another place
    */
  def untilOverflow(padding: Int)(step: Int => Unit): Option[Int] =
    var completed = 0
    var overflowed = false
    def walk(number: Int): Int =
      step(number)
      completed += 1
      walk(number + 1) + 1
    def pad(calls: Int): Int = if calls == 0 then walk(0) else pad(calls - 1) + 1
    val body: Runnable = () =>
      try pad(padding): Unit
      catch case _: StackOverflowError => overflowed = true
    val thread = Thread(null, body, "small stack", 256 * 1024L)
    thread.start()
    thread.join()
    Option.when(overflowed)(completed)
end Recursion

/** Each call of a recursion sends to one actor, on each run model. */
object RecursiveSenders:
  enum Command:
    case Add(number: Int)
    case Count(to: Reply[Int])

  private def counter: Behavior[Command] =
    var count = 0
    Behavior.receive {
      case Command.Add(_) =>
        count += 1
        Behavior.same
      case Command.Count(to) =>
        to ! count
        Behavior.same
    }

  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset() // an overflow leaves its locks locked
    val system = ActorSystem("senders", listener = _ => ())
    given ActorSystem = system
    val pool = java.util.concurrent.Executors.newSingleThreadExecutor()
    val runs = Run.standard ++ Seq(Run.On(_.run()), Run.On(pool))
    var overflows, responses, missing = 0
    for
      run <- runs
      padding <- 1 to args(0).toInt
    do
      val target = spawn(counter, run = run)
      for sent <- Recursion.untilOverflow(padding)(target ! Command.Add(_)) do
        overflows += 1
        for count <- Try(target.ask[Int](1.minute)(Command.Count(_))) do
          responses += 1
          // The handler of the last message may have had no room on the stack of its sender.
          if count < sent - 1 then missing += sent - count
    println(s"overflows: $overflows, actors that respond: $responses, missing messages: $missing")
    Runtime.getRuntime.halt(0)
  end main
end RecursiveSenders

/** Each call of a recursion stops an actor that has a watcher, on the stack of the recursion. */
object StoppedByRecursion:
  private val Actors = 3000

  private def isEnded(run: Run, padding: Int): Option[Boolean] =
    val system = ActorSystem("stopped", listener = _ => ())
    given ActorSystem = system
    val actors = Vector.fill(Actors)(spawn(Behavior.receive[Int](_ => Behavior.stopped), run = run))
    spawn(
      Behavior.setup[Int]:
        for actor <- actors do context.watch(actor)
        Behavior.ignore[Int].onSignal { case Signal.Terminated(_, _) => Behavior.same }
      ,
      run = run
    ): Unit
    Recursion.untilOverflow(padding)(number => actors(number) ! 1).map: _ =>
      system.shutdown(1.second, 1.minute): Unit
      system.isStopped
  end isEnded

  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset()
    val results =
      for
        run <- Seq(Run.Caller, Run.On(_.run()))
        padding <- 1 to args(0).toInt
        isEnded <- isEnded(run, padding)
      yield isEnded
    println(s"overflows: ${results.size}, systems that ended: ${results.count(identity)}")
    Runtime.getRuntime.halt(0)
end StoppedByRecursion
