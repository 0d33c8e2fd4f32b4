package undercroft.actor
package testkit

import scala.concurrent.duration.*

/** S1: each place in which an actor can fail, with each decision, under many schedules.
  *
  * `./mill actor.testkit.test.runMain undercroft.actor.testkit.FailureMatrix 10000`
  */
object FailureMatrix:
  private final class Broken(where: String) extends Exception(where)

  val places: Vector[String] = Vector("setup", "message", "signal", "timer", "ask", "postStop")

  /** The decisions for the failing actor and for its parent. */
  enum Decided(val ofChild: Supervision, val ofParent: Option[Supervision] = None):
    case Stop extends Decided(Supervision.Stop)
    case Resume extends Decided(Supervision.Resume)
    case Restart extends Decided(Supervision.Restart())
    case Backoff extends Decided(Supervision.Backoff(1.milli, 20.millis))
    case Escalate extends Decided(Supervision.Escalate)
    case OneForAll extends Decided(Supervision.Escalate, Some(Supervision.Restart()))
    case RestForOne extends Decided(Supervision.Restart())

  /** How often the actor, its sibling and its child start, and whether the actor survives. */
  private final case class Outcome(actor: Int, sibling: Set[Int], child: Int, lives: Boolean)
      derives CanEqual

  private def expected(decided: Decided, place: String): Outcome =
    val again = decided match
      case _ if place == "postStop"                               => false
      case Decided.Restart | Decided.Backoff | Decided.RestForOne => true
      case Decided.OneForAll                                      => true
      case Decided.Resume | Decided.Stop | Decided.Escalate       => false
    val begins = if again then 2 else 1
    // The sibling may be stopped before it starts, if the failure is the first step.
    val ofSibling = decided match
      case Decided.OneForAll if place == "setup"    => Set(1, 2)
      case Decided.OneForAll if place != "postStop" => Set(2)
      case Decided.Escalate if place == "setup"     => Set(0, 1)
      case _                                        => Set(1)
    // A setup that fails has not spawned its child yet.
    val ofChild = if place == "setup" then begins - 1 else begins
    val resumes = decided == Decided.Resume && place != "setup" && place != "postStop"
    Outcome(begins, ofSibling, ofChild, again || resumes)

  private given CanEqual[Decided, Decided] = CanEqual.derived

  private enum Said derives CanEqual:
    case Fail(where: String)
    case Ask(to: ActorRef[String])
    case After

  /** Checks one cell of the table in the current simulation. */
  def row(decided: Decided, place: String)(using Simulation): Unit =
    var (actors, siblings, children) = (0, 0, 0)
    val answers = Probe[String]("answers")

    def child: Behavior[String] = Behavior.setup[String]:
      children += 1
      Behavior.receive[String](_ => Behavior.stopped)

    def fragile: Behavior[Said] = Behavior.setup[Said]:
      actors += 1
      if place == "setup" && actors == 1 then throw Broken("setup")
      val childRef = spawn(child)
      Behavior
        .receive[Said] {
          case Said.Fail("timer") =>
            context.startSingleTimer("t", Said.Fail("tick"), 1.milli); Behavior.same
          case Said.Fail("signal")   => context.watch(childRef); childRef ! "stop"; Behavior.same
          case Said.Fail("postStop") => Behavior.stopped
          case Said.Fail(text)       => throw Broken(text)
          case Said.Ask(to)          => throw Broken(s"ask of $to")
          case Said.After            => answers.ref ! "after"; Behavior.same
        }
        .onSignal {
          case Signal.Terminated(_, _)                => throw Broken("signal")
          case Signal.PostStop if place == "postStop" => throw Broken("postStop")
        }

    val parent = spawn(
      Behavior
        .setup[Said]:
          val actor = spawn(fragile.supervised { case _: Broken => decided.ofChild }, "actor")
          spawn(
            Behavior.setup[Int]:
              siblings += 1
              Behavior.ignore
            ,
            "sibling"
          ): Unit
          Behavior.receive { message =>
            actor ! message
            Behavior.same
          }
        .supervised {
          case _: ChildFailedException if decided.ofParent.isDefined =>
            decided.ofParent.get
        },
      "parent"
    )
    simulation.runUntilIdle()
    if place == "ask" then
      val answer = parent.askAsync[String](1.second)(Said.Ask(_))
      munit.Assertions.assert(simulation.await(answer).isFailure)
    else if place != "setup" then parent ! Said.Fail(place)
    simulation.advance(1.second)
    parent ! Said.After
    simulation.advance(1.second)
    val outcome = expected(decided, place)
    munit.Assertions.assert(outcome.sibling(siblings), s"the sibling began $siblings times")
    val actual = Outcome(actors, outcome.sibling, children, answers.received.nonEmpty)
    munit.Assertions.assertEquals(actual, outcome)
    val isUp = decided == Decided.Escalate && place != "postStop"
    munit.Assertions.assertEquals(parent.isStopped, isUp, "whether the parent has stopped")
  end row

  /** Checks each cell with as many seeds as the first argument says; 10 000 by default. */
  def main(args: Array[String]): Unit =
    val seeds = args.headOption.flatMap(_.toIntOption).filter(_ > 0).getOrElse(10_000)
    val from = System.nanoTime
    for decided <- Decided.values; place <- places do simulate(seeds)(row(decided, place))
    val millis = (System.nanoTime - from) / 1_000_000
    val cells = Decided.values.length * places.size
    println(s"S1: $cells cells of the table, each in $seeds orders, as it says, in $millis ms")
end FailureMatrix
