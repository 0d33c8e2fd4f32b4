package outside.actor

import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong, AtomicReference}
import scala.concurrent.blocking
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.struct.*
import undercroft.tools.ForkedJvm

/** The order of messages from one actor to another. */
class OrderTest extends undercroft.tools.RoundsSuite:
  import OrderTest.*

  // The first structs of a process are sent as objects, until slot memory is available.
  testRounds("structs sent inside and outside `blocking` arrive in order in new processes")(
    1,
    20
  ): rounds =>
    for _ <- 1 to rounds do
      val jvm = ForkedJvm.run("outside.actor.OrderInBlocking", Seq("-Xmx256m"), Seq("structs"))
      assertEquals((jvm.exit, jvm.last), (0, "in order"), jvm.output)

  test("objects sent inside and outside `blocking` arrive in order"):
    assertEquals(inBlocking("objects", 20_000), "in order")

  test("structs sent inside and outside `blocking` arrive in order"):
    assertEquals(inBlocking("structs", 20_000), "in order")

  test("the messages that a full mailbox accepts stay in the sender's order"):
    for workers <- 2 to 3; limit <- List(1, 10) do
      val objects = intoFull[Plain](workers, limit, _.n)((to, n) => to ! Plain(n))
      assertEquals(objects, "in order")
      val structs = intoFull[Numbered](workers, limit, _.n)((to, n) => to ! Numbered(n))
      assertEquals(structs, "in order")
end OrderTest

/** Prints whether the messages arrived in order. */
object OrderInBlocking:
  def main(args: Array[String]): Unit =
    println(OrderTest.inBlocking(args(0), 20_000))
    System.exit(0)

final case class Numbered(n: Long) derives Struct, CanEqual
final case class Plain(n: Long) derives CanEqual

object OrderTest:

  /** One actor sends another ascending numbers, every second one inside `blocking`. */
  def inBlocking(kind: String, rounds: Int): String =
    val wrong = AtomicReference("in order")
    val system = ActorSystem("order", workers = 2)
    given ActorSystem = system
    val box = Mailbox(10_000_000)
    def check(n: Long, last: Long): Long =
      if n != last + 1 then wrong.compareAndSet("in order", s"$n came after $last"): Unit
      n
    val send: Long => Unit = kind match
      case "structs" =>
        val receiver = spawn(
          Behavior.setup[Numbered] {
            var last = -1L
            Behavior.receive[Numbered] { case Numbered(n) => last = check(n, last); Behavior.same }
          },
          mailbox = box
        )
        n => receiver ! Numbered(n)
      case _ =>
        val receiver = spawn(
          Behavior.setup[Plain] {
            var last = -1L
            Behavior.receive[Plain] { case Plain(n) => last = check(n, last); Behavior.same }
          },
          mailbox = box
        )
        n => receiver ! Plain(n)
    val sender = spawn(Behavior.setup[Int] {
      var n = 0L
      Behavior.receive[Int] { left =>
        for _ <- 1 to 10 do
          blocking:
            send(n)
            n += 1
          send(n)
          n += 1
        if left > 0 then self[Int] ! left - 1
        Behavior.same
      }
    })
    sender ! rounds
    val isOver = system.shutdown(5.minutes, 1.minute)
    if isOver && system.observe.audit.handled == rounds * 21L + 21 then wrong.get
    else s"${wrong.get}; over $isOver, ${system.observe.audit}"
  end inBlocking

  /** One actor sends ascending numbers to mailboxes that are often full, while other actors keep
    * the workers busy and thus cause migrations.
    */
  def intoFull[M](workers: Int, limit: Int, number: M => Long)(
      send: (ActorRef[M], Long) => Unit
  ): String =
    val rounds = 2_000
    val wrong = AtomicReference("in order")
    val isOver = AtomicBoolean()
    val system = ActorSystem("full", workers, _ => ())
    given ActorSystem = system
    val receivers = Vector.fill(4)(spawn(
      Behavior.setup[M] {
        var last = -1L
        Behavior.receive[M] { message =>
          val n = number(message)
          if n <= last then wrong.compareAndSet("in order", s"$n came after $last"): Unit
          last = n
          Behavior.same
        }
      },
      mailbox = Mailbox(limit, Overflow.DropNewest)
    ))
    val sum = AtomicLong()
    val noise = Vector.fill(workers)(spawn(Behavior.receive[Int] { count =>
      var x = 1L
      for j <- 0 until count do x = x * 31 + j
      sum.addAndGet(x): Unit
      Behavior.same
    }))
    val sender = spawn(Behavior.setup[Int] {
      var n = 0L
      Behavior.receive[Int] { left =>
        for _ <- 1 to 20; to <- receivers; _ <- 1 to 3 do
          send(to, n)
          n += 1
        if left > 0 then self[Int] ! left - 1 else isOver.set(true)
        Behavior.same
      }
    })
    sender ! rounds
    val until = System.nanoTime + 120_000_000_000L
    while !isOver.get && System.nanoTime < until do
      noise.foreach(_ ! 200)
      java.util.concurrent.locks.LockSupport.parkNanos(20_000)
    val isShut = system.shutdown(2.minutes, 1.minute)
    if isOver.get && isShut && system.observe.audit.isExact then wrong.get
    else s"${wrong.get}; sent ${isOver.get}, over $isShut, ${system.observe.audit}"
  end intoFull
end OrderTest
