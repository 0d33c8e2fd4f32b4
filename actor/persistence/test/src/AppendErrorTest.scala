package undercroft.actor
package persistence

import internal.journal.JournalClient
import undercroft.actor.testkit.{simulate, simulation, Probe}
import undercroft.tools.Suite

/** Errors of a journal other than JournalException. */
class AppendErrorTest extends Suite:

  test("an actor that is resumed after an error of its journal handles the next commands"):
    simulate(seeds = 20):
      val journal = ThrowingJournal(Journal.inMemory[Long, Long]())
      val probe = Probe[Long]()
      val actor = spawn(
        Persistent[Long, Long, Long](journal, 1, 0L)(
          command = (_, amount) => Effect.persist(amount).thenReply(probe.ref)(sum => sum),
          event = (sum, amount) => sum + amount
        ).supervised { case _: IllegalStateException => Supervision.Resume }
      )
      actor ! 1L
      simulation.runUntilIdle()
      journal.isFailing = true
      actor ! 2L
      simulation.runUntilIdle()
      journal.isFailing = false
      actor ! 4L
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector(1L, 5L))
end AppendErrorTest

/** A journal whose appends throw while `isFailing` is set. */
private final class ThrowingJournal(inner: Journal[Long, Long]) extends Journal[Long, Long]:
  var isFailing = false

  def size: Long = inner.size
  def close(): Unit = inner.close()
  private[persistence] def read(tag: Long => Boolean, from: Long): Iterator[StoredEvent[Long]] =
    inner.read(tag, from)
  private[persistence] def isSimulated: Boolean = inner.isSimulated
  private[persistence] def acquire(id: Long, actor: ActorRef[?]): Unit = inner.acquire(id, actor)
  private[persistence] def release(id: Long, actor: ActorRef[?]): Unit = inner.release(id, actor)
  private[persistence] def recover(id: Long, client: JournalClient[Long, Long]): Unit =
    inner.recover(id, client)

  private[persistence] def append(
      id: Long,
      sequence: Long,
      events: Vector[Long],
      client: JournalClient[Long, Long]
  ): Unit =
    if isFailing then throw IllegalStateException("the journal of this test fails")
    inner.append(id, sequence, events, client)

  private[persistence] def snapshot(
      id: Long,
      sequence: Long,
      state: Long,
      client: JournalClient[Long, Long]
  ): Unit = inner.snapshot(id, sequence, state, client)
end ThrowingJournal
