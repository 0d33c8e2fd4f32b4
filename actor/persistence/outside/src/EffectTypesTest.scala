package outside.actor.persistence

import scala.compiletime.testing.typeCheckErrors
import scala.concurrent.duration.DurationInt
import undercroft.actor.*
import undercroft.actor.persistence.*

/** Errors of the compiler about effects that cannot be created. */
class EffectTypesTest extends undercroft.tools.Suite:

  test("effects of other events than those of the behavior do not compile"):
    val journal = Journal.inMemory[Long, Long]()
    val _ = journal
    val messages = typeCheckErrors(
      """Persistent[Int, Long, Long](journal, 1, 0L)(
           command = (sum, n) => Effect.persist(Vector(1L, 2L)).thenRun(sum => println(sum)),
           event = (sum, added) => sum + added
         )"""
    ).map(_.message)
    val cures = Seq("events of type", "Vector[Long]", "`persistAll` a Seq of them")
    assert(messages.exists(message => cures.forall(message.contains)), messages)
    val outside = typeCheckErrors("Effect.persist(1L).thenStop").map(_.message)
    assert(outside.exists(_.contains("in the command handler of a Persistent behavior")), outside)

  test("a supervised behavior with stated types stores the events of a Seq"):
    val journal = Journal.inMemory[Long, Long]()
    def sums: Behavior[ActorRef[Long]] =
      Persistent[ActorRef[Long], Long, Long](journal, 1, 0L)(
        command = (sum, to) => Effect.persistAll(List(1L, 2L, 3L)).thenReply(to)(sum => sum),
        event = (sum, added) => sum + added
      ).supervised { case _: JournalException => Supervision.Stop }
    ActorSystem.scoped("sums"):
      assertEquals(spawn(sums).ask[Long](60.seconds)(to => to), 6L)
    assertEquals(journal.events(1), Vector(1L, 2L, 3L))
end EffectTypesTest
