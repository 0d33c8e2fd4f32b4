package undercroft.actor
package testkit

import java.util.SplittableRandom
import scala.concurrent.duration.*

/** L1 and R1 under simulation: actors perform random operations. Each simulation ends with the
  * exact audit of all messages.
  */
class RandomLivesTest extends undercroft.tools.Suite:

  private enum Act derives CanEqual:
    case Go(dice: Long)
    case Asked(dice: Long, to: ActorRef[Long])
    case Gone

  /** State shared by the actors of one simulation; it ends after a limited number of operations. */
  private final class World(count: Int, var left: Int):
    val refs: Array[ActorRef[Act]] = new Array(count)
    var handled = 0
    var ends = 0
    var handledAfterEnd = 0

    def any(random: SplittableRandom): ActorRef[Act] = refs(random.nextInt(count))

    private val mailboxes = Vector(
      Mailbox.default,
      Mailbox(2, Overflow.Fail),
      Mailbox(2, Overflow.DropNewest),
      Mailbox(2, Overflow.DropOldest),
      Mailbox(2, Overflow.Backpressure)
    )

    private val decisions = Vector(
      Supervision.Stop,
      Supervision.Resume,
      Supervision.Restart(limit = 3),
      Supervision.Backoff(1.milli, 4.millis, limit = 3)
    )

    def fresh(random: SplittableRandom, scope: ActorScope): ActorRef[Act] =
      val run = Run.standard(random.nextInt(Run.standard.length))
      val mailbox = mailboxes(random.nextInt(mailboxes.size))
      val decision = decisions(random.nextInt(decisions.size))
      val behavior = if random.nextInt(4) == 0 then process else handler
      spawn(behavior.supervised { case _: Exception => decision }, "", run, mailbox)(using scope)

    private def handler: Behavior[Act] = Behavior.setup:
      var isOver = false
      Behavior
        .receive[Act] { act =>
          if isOver then handledAfterEnd += 1
          val stash = (random: SplittableRandom) =>
            if random.nextBoolean() then context.stash() else context.unstashAll()
          one(act, stash)
        }
        .onSignal { case Signal.PostStop =>
          isOver = true
          ends += 1
          Behavior.same
        }

    private def process: Behavior[Act] = Behavior.process: inbox =>
      var goesOn = true
      while goesOn do
        val next = inbox.receive(5.millis)
        goesOn = next.exists(act => one(act, _ => ()) ne Behavior.stopped)

    private def one(act: Act, stash: SplittableRandom => Unit)(using
        ActorContext[Act]
    ): Behavior[Act] =
      handled += 1
      act match
        case Act.Gone => Behavior.same
        case Act.Go(dice) =>
          live(SplittableRandom(dice), stash)
        case Act.Asked(dice, to) =>
          if dice % 3 != 0 then to ! dice
          live(SplittableRandom(dice), stash)

    private def live(
        random: SplittableRandom,
        stash: SplittableRandom => Unit
    )(using
        ActorContext[Act]
    ): Behavior[Act] =
      left -= 1
      if left > 0 then for _ <- 0 to random.nextInt(2) do any(random) ! Act.Go(random.nextLong())
      random.nextInt(12) match
        case 0 => refs(random.nextInt(count)) = fresh(random, context)
        case 1 => throw Exception("at random")
        case 2 => stash(random)
        case 3 => context.startSingleTimer("t", Act.Go(random.nextLong()), random.nextInt(3).millis)
        case 4 => context.cancelTimer("t")
        case 5 =>
          val target = any(random)
          if target ne self[Act] then context.watchWith(target, Act.Gone)
        case 6 =>
          val answer = any(random).askAsync[Long](3.millis)(Act.Asked(random.nextLong(), _))
          context.pipeToSelf(answer)(result => Act.Go(result.getOrElse(7L)))
        case 7 => context.children.headOption.foreach(child => context.stop(child))
        case 8 => any(random).tellPriority(Act.Go(random.nextLong()))
        case _ => ()
      if random.nextInt(20) == 0 then Behavior.stopped else Behavior.same
    end live
  end World

  test("L1: every message of randomly acting actors ends and is counted"):
    var handled = 0L
    var dead = Set.empty[DeadLetterReason]
    simulate(seeds = 300):
      val random = SplittableRandom(simulation.seed)
      val world = World(count = 10, left = 300)
      for i <- world.refs.indices do world.refs(i) = world.fresh(random, simulation)
      for _ <- 1 to 20 do
        try world.any(random) ! Act.Go(random.nextLong())
        catch case _: MailboxFullException => ()
      simulation.advance(100.millis)
      val audit = simulation.system.observe.audit
      assert(audit.isExact, audit)
      assertEquals(world.handledAfterEnd, 0)
      handled += world.handled
      dead ++= audit.deadLetters.keySet
    assert(handled > 10_000, s"$handled were handled")
    val expected = Set(
      DeadLetterReason.Stopped,
      DeadLetterReason.Full,
      DeadLetterReason.Cancelled,
      DeadLetterReason.AskEnded
    )
    assertEquals(expected -- dead, Set.empty[DeadLetterReason])
end RandomLivesTest
