package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.struct.*

enum Ticket derives Struct, CanEqual:
  case Buy(id: Int, price: Long)
  case Cancel(id: Int, isLate: Boolean)

/** A behavior with cases that name fields. */
class NamedPatternTest extends undercroft.tools.Suite:

  test("messages in slots and as objects are matched by the names of fields"):
    val seen = ConcurrentLinkedQueue[Long]()
    val done = CountDownLatch(8)
    def see(n: Long): Behavior[Ticket] =
      seen.add(n)
      done.countDown()
      Behavior.same
    ActorSystem.scoped("named"):
      val desk = spawn(Behavior.receive[Ticket]:
        case Ticket.Buy(price = p) if p > 100 => see(p)
        case Ticket.Buy(price = p, id = n) =>
          Option(n) match
            case Some(value = k) => see(k * p)
            case None            => see(-1)
        case Ticket.Cancel(isLate = true) => see(-2)
        case Ticket.Cancel(id = n)        => see(-n))
      desk ! Ticket.Buy(7, 250)
      desk ! Ticket.Buy(7, 50)
      desk ! Ticket.Cancel(7, true)
      desk ! Ticket.Cancel(7, false)
      val objects =
        Seq(Ticket.Buy(7, 250), Ticket.Buy(7, 50), Ticket.Cancel(7, true), Ticket.Cancel(7, false))
      for ticket <- objects do desk ! ticket
      assert(done.await(1, TimeUnit.MINUTES))
      val each = Seq(250L, 350L, -2L, -7L)
      assertEquals(seen.asScala.toSeq, each ++ each)
end NamedPatternTest
