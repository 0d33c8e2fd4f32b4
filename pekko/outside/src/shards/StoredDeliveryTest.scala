package outside.pekko.shards

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.Props
import outside.pekko.ClusterSuite
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.pekko.*

/** Reliable delivery to persistent actors: an acknowledgement means that the event is stored. */
class StoredDeliveryTest extends ClusterSuite:
  private def messages =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Count], MessageCodec[CountResult]))

  private final class Target(
      val journal: InMemoryJournal[Added, Total],
      commandsPerCommit: Int
  ):
    val attempts = AtomicInteger()
    val added = AtomicInteger()
    val attemptTimes = ConcurrentLinkedQueue[Long]()

    def counter: Behavior[Count] = Behavior.setup:
      var isOrdered = true
      Persistent[Count, Added, Total](
        journal,
        7,
        Total(0, 0, 0),
        commandsPerCommit = commandsPerCommit
      )(
        command = (total, command) =>
          command match
            case Count.Add(amount) =>
              attemptTimes.add(System.nanoTime): Unit
              attempts.incrementAndGet(): Unit
              if amount != total.last + 1 then isOrdered = false
              Effect.persist(Added(amount)).thenRun(_ => added.incrementAndGet(): Unit)
            case Count.Read(to) =>
              Effect.none.thenReply(to)(t => CountResult(t.count, t.sum, t.last, isOrdered))
            case _ => throw IllegalStateException("the command handler failed")
        ,
        event = (total, added) => Total(total.count + 1, total.sum + added.amount, added.amount)
      )
  end Target

  /** Runs `body` with a target that fails each append, and with its reference. */
  private def withTarget(
      isHosted: Boolean,
      latency: FiniteDuration,
      supervised: Behavior[Count] => Behavior[Count],
      commandsPerCommit: Int = 1
  )(
      body: (typed.ActorSystem[?], ActorSystem) ?=> (Target, ActorRef[Count], Notes) => Unit
  ): Unit =
    val notes = Notes()
    cluster(1, messages): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val target = Target(Journal.inMemory(latency), commandsPerCommit)
      target.journal.failAppends(Some(JournalException.Kind.NoSpace))
      noting(notes):
        val behavior = supervised(target.counter)
        val ref =
          if isHosted then
            nodes(0).systemActorOf(behavior.toPekko(), "target", Props.empty)
              .toUndercroft
          else spawn(behavior, "target")
        body(target, ref, notes)
  end withTarget

  private val decisions = List(Supervision.Resume, Supervision.Restart(1_000_000, 1.hour))

  for
    isHosted <- List(true, false)
    (latency, commandsPerCommit, tags) <- List(
      (0.millis, 1, Set[munit.Tag]()),
      (1.milli, 1, Set[munit.Tag](LongTest)),
      (1.milli, 64, Set[munit.Tag]())
    )
    decision <- decisions
  do
    val kind = (if isHosted then "a hosted actor" else "an actor of this system") +
      s", $latency, $commandsPerCommit per commit, $decision"
    val title = s"commands whose events cannot be stored are not lost: $kind"
    test(munit.TestOptions(title).withTags(tags)):
      val supervised = (behavior: Behavior[Count]) =>
        behavior.supervised { case _: JournalException => decision }
      withTarget(isHosted, latency, supervised, commandsPerCommit): (target, ref, _) =>
        val delivery = ReliableDelivery.spawn(ref)
        for n <- 1 to 600 do delivery ! Count.Add(n)
        until(target.attempts.get >= 3)
        assertEquals(target.added.get, 0)
        target.journal.failAppends(None)
        until(target.added.get >= 300)
        target.journal.failAppends(Some(JournalException.Kind.NoSpace))
        target.journal.failAppends(None)
        assertEquals(
          delivery.ask[CountResult](1.minute)(Count.Read(_)),
          CountResult(600, 600 * 601 / 2, 600, true)
        )
  end for

  for kind <- List(JournalException.Kind.NoSpace, JournalException.Kind.Failed) do
    test(s"a command is sent again less and less often while the journal fails with $kind"):
      val resumed = (behavior: Behavior[Count]) =>
        behavior.supervised { case _: JournalException => Supervision.Resume }
      withTarget(isHosted = false, 0.millis, resumed): (target, ref, _) =>
        target.journal.failAppends(Some(kind))
        val delivery = ReliableDelivery.spawn(ref)
        delivery ! Count.Add(1)
        until(target.attempts.get >= 11)
        // Ten pauses from 1 ms on, each twice as long, are 1023 ms. If the test's thread waits for
        // a processor, some attempts are repetitions of a batch after 200 ms or more.
        val times = target.attemptTimes.asScala.toVector
        val millis = (times(10) - times(0)) / 1_000_000
        assert(millis >= 600, s"11 attempts in $millis ms")
        target.journal.failAppends(None)
        assertEquals(
          delivery.ask[CountResult](1.minute)(Count.Read(_)),
          CountResult(1, 1, 1, true)
        )
  end for

  test("a command is not acknowledged before its event is stored"):
    val resumed = (behavior: Behavior[Count]) =>
      behavior.supervised { case _: JournalException => Supervision.Resume }
    withTarget(isHosted = true, 0.millis, resumed): (target, ref, notes) =>
      val delivery = ReliableDelivery.spawn(ref)
      for n <- 1 to 20 do delivery ! Count.Add(n)
      until(target.attempts.get >= 3)
      ref ! Count.Fail // it stops
      until(delivery.isStopped)
      val lost = notes.all.filter(_.endsWith("Undelivered"))
      assertEquals(lost, (1 to 20).map(n => s"Add($n) Undelivered").toList)

  test("a command whose handler fails is acknowledged, and later ones follow"):
    val resumed = (behavior: Behavior[Count]) =>
      behavior.supervised { case _: Exception => Supervision.Resume }
    withTarget(isHosted = true, 0.millis, resumed): (target, ref, _) =>
      target.journal.failAppends(None)
      val delivery = ReliableDelivery.spawn(ref)
      delivery ! Count.Add(1)
      delivery ! Count.Fail
      delivery ! Count.Add(2)
      assertEquals(
        delivery.ask[CountResult](1.minute)(Count.Read(_)),
        CountResult(2, 3, 2, true)
      )
end StoredDeliveryTest
