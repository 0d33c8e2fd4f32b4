package outside.actor

import scala.concurrent.duration.*
import scala.util.Try
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** A class that is first used at the end of a stack cannot be initialized and stays unusable. */
class RuntimeClassesTest extends undercroft.tools.Suite:
  test("a new system has initialized all classes that its actors need until they have stopped"):
    val flags = ForkedJvm.Granted ++ Seq("-Xlog:class+init=info", "-XX:TieredStopAtLevel=1")
    val jvm = ForkedJvm.run("outside.actor.UsesActors", flags)
    assertEquals(jvm.exit, 0, jvm.output)
    val lines = jvm.output.linesIterator.toSeq
    val (before, after) = lines.span(_ != "created")
    assert(after.contains("stopped"), jvm.output)
    def initialized(lines: Seq[String]): Seq[String] = lines.collect:
      case s"${_}Initializing 'undercroft/actor/$name' ($_" => name
    assert(initialized(before).contains("internal/cell/Lifecycle$"), "the log has another form")
    assertEquals(initialized(after), Nil)

/** Actors that fail, overflow the stack, lose messages and stop, on each kind of thread. */
object UsesActors:
  enum Command:
    case Get(to: Reply[Int])
    case Fail, Recurse, Stop, SpawnChild, Lose

  private def behavior: Behavior[Command] = Behavior.setup:
    Behavior.receive[Command] {
      case Command.Get(to)    => to ! 1; Behavior.same
      case Command.Fail       => throw IllegalStateException("asked to fail")
      case Command.Recurse    => depth(1): Unit; Behavior.same
      case Command.Stop       => Behavior.stopped
      case Command.SpawnChild => spawn(behavior) ! Command.Fail; Behavior.same
      case Command.Lose       => Behavior.unhandled
    }

  private def depth(number: Int): Int = if number == 0 then 0 else 1 + depth(number + 1)

  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset()
    val system = ActorSystem("uses actors", listener = _ => ())
    given ActorSystem = system
    val direct = Run.On(_.run())
    println("created")
    for
      run <- direct +: Run.standard
      command <- Seq(Command.Lose, Command.SpawnChild, Command.Fail, Command.Recurse, Command.Stop)
    do
      val ref = spawn(behavior, run = run)
      assert(ref.ask[Int](30.seconds)(Command.Get(_)) == 1)
      ref ! command
      Try(ref.ask[Int](30.seconds)(Command.Get(_))): Unit
      ref ! Command.Lose
    if system.shutdown(30.seconds, 30.seconds) then println("stopped")
end UsesActors
