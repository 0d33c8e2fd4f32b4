package outside.actor

import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.memory.*
import undercroft.struct.*

case class Part(number: Int, grams: Long) derives Struct, CanEqual
enum Delivery derives Struct, CanEqual:
  case Parts(id: Int, parts: RowsRef[Part])
  case Perhaps(id: Int, parts: Option[RowsRef[Part]])

/** Messages with a RowsRef: in slots between actors of one worker, and as objects. */
class RunMessageTest extends undercroft.tools.Suite:

  private def received(workers: Int, messages: List[Delivery]): List[String] =
    val notes = ConcurrentLinkedQueue[String]()
    ActorSystem.scoped("deliveries", workers = workers):
      val target = spawn(Behavior.receive[Delivery]:
        case Delivery.Parts(id, parts) =>
          notes.add(s"$id ${parts.size} ${parts.sumOf(_.grams)}")
          Behavior.same
        case Delivery.Perhaps(id, parts) =>
          notes.add(s"$id ${parts.map(_(0))}")
          Behavior.same)
      val forwarder = spawn(Behavior.receive[Delivery] { message =>
        target ! message
        Behavior.same
      })
      val sender = spawn(Behavior.receive[Int] { _ =>
        for message <- messages do
          message match
            case Delivery.Parts(id, parts)   => target ! Delivery.Parts(id, parts)
            case Delivery.Perhaps(id, parts) => target ! Delivery.Perhaps(id, parts)
          forwarder ! message
        Behavior.same
      })
      sender ! 0
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(summon[ActorSystem].observe.audit.isExact)
    notes.asScala.toList
  end received

  test("a run arrives with its structs, on one worker and on several"):
    val region = Region.shared()
    try
      given Region = region
      val messages = List(
        Delivery.Parts(1, RowsRef(Part(1, 10), Part(2, 20))),
        Delivery.Parts(2, RowsRef.empty),
        Delivery.Perhaps(3, Some(RowsRef(Part(7, 70)))),
        Delivery.Perhaps(4, None)
      )
      val expected = List("1 2 30", "2 0 0", "3 Some(Part(7,70))", "4 None")
      for workers <- List(1, 2) do
        val notes = received(workers, messages)
        assertEquals(notes.sorted, (expected ++ expected).sorted)
    finally region.close()
end RunMessageTest
