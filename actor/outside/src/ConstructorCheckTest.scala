package outside.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.struct.*

final case class Transfer(cents: Long) derives Struct, CanEqual:
  require(cents > 0, s"a transfer of $cents")

/** A message without a check of its own, whose parts have checks. */
final case class Nested(to: Int, transfer: Transfer) derives Struct, CanEqual

enum Command derives Struct, CanEqual:
  case Open(n: Int)
  case Pay(cents: Long) extends Command, Paid
  case Close

trait Paid:
  ConstructorCheckTest.constructions.incrementAndGet(): Unit

sealed abstract class Shape(area: Double) derives Struct, CanEqual:
  if area < 0 then throw IllegalArgumentException(s"area must be at least 0, but is $area")
final case class Circle(radius: Double) extends Shape(radius)
final case class Square(side: Double) extends Shape(side)

final case class Even(n: Int) derives Struct, CanEqual
object Even:
  def apply(n: Int): Even = new Even(n / 2 * 2)

final case class Length(millimetres: Long, unit: Int = 1) derives Struct, CanEqual:
  def this(metres: Int, unit: Int) = this(metres * 1000L, unit)

/** Its extractor returns something else than its fields. */
final case class Secret(n: Int) derives Struct, CanEqual
object Secret:
  def unapply(secret: Secret): Some[String] = Some("*" * secret.n)

/** Has only fields, so it is sent in a slot. */
final case class Simple(a: Int, b: Long) derives Struct, CanEqual

final case class Stamped(n: Int) derives Struct, CanEqual:
  val stamp: Int = ConstructorCheckTest.constructions.incrementAndGet()

object ConstructorCheckTest:
  /** The number of constructor calls. */
  val constructions = AtomicInteger()

/** The constructor code of a message runs, whether the message is sent by an actor of the same
  * worker or by another thread.
  */
class ConstructorCheckTest extends undercroft.tools.Suite:

  /** Returns the distinct notes of an actor about its messages, after `send` was called by an actor
    * of its worker `Sends` times, then by this thread. That number is large because messages use
    * slots only once slot memory is available.
    */
  private def arrived[T](handle: ConcurrentLinkedQueue[String] => Behavior[T])(
      send: ActorRef[T] => Unit
  ): List[String] =
    val notes = ConcurrentLinkedQueue[String]()
    ActorSystem.scoped("checks", workers = 1):
      val target = spawn(handle(notes))
      val sender = spawn(Behavior.receive[Int] { _ =>
        try send(target)
        catch case e: IllegalArgumentException => notes.add(e.getMessage): Unit
        Behavior.same
      })
      for _ <- 1 to Sends do
        sender ! 0
        assert(summon[ActorSystem].awaitQuiescence(1.minute))
      try send(target)
      catch case e: IllegalArgumentException => notes.add(e.getMessage): Unit
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(summon[ActorSystem].observe.audit.isExact)
    val lines = notes.asScala.toList
    assertEquals(lines.size, Sends + 1)
    lines.distinct
  end arrived

  private def Sends = 200
  private var zero = 0L // not a constant

  private def noted[T](of: T => String)(notes: ConcurrentLinkedQueue[String]): Behavior[T] =
    Behavior.receive[T]: message =>
      notes.add(of(message)): Unit
      Behavior.same

  override def beforeAll(): Unit =
    // The slot memory is allocated on first use, on a separate thread.
    assertEquals(
      arrived[Simple](notes =>
        Behavior.receive { case Simple(a, b) => notes.add(s"$a $b"): Unit; Behavior.same }
      )(_ ! Simple(1, 2)),
      List("1 2")
    )

  test("a message whose constructor throws is not sent"):
    val lines = arrived[Transfer](notes =>
      Behavior.receive { case Transfer(cents) => notes.add(s"$cents"): Unit; Behavior.same }
    )(_ ! Transfer(zero - 100))
    assertEquals(lines, List("requirement failed: a transfer of -100"))

  test("a message with a nested part whose constructor throws is not sent"):
    val lines = arrived[Nested](notes =>
      Behavior.receive:
        case Nested(to, Transfer(cents)) => notes.add(s"$to $cents"): Unit; Behavior.same
    )(_ ! Nested(1, Transfer(zero - 1)))
    assertEquals(lines, List("requirement failed: a transfer of -1"))

  test("a message of a sealed hierarchy whose parent's constructor throws is not sent"):
    val lines = arrived[Shape](notes =>
      Behavior.receive:
        case Circle(r) => notes.add(s"$r"): Unit; Behavior.same
        case Square(a) => notes.add(s"$a"): Unit; Behavior.same
    )(_ ! Circle(zero - 1.0))
    assertEquals(lines, List("area must be at least 0, but is -1.0"))

  test("an enum case with a body runs the body once for each message"):
    ConstructorCheckTest.constructions.set(0)
    val lines = arrived[Command](notes =>
      Behavior.receive:
        case Command.Open(n) => notes.add(s"open $n"): Unit; Behavior.same
        case Command.Pay(n)  => notes.add(s"pay $n"): Unit; Behavior.same
        case Command.Close   => notes.add("close"): Unit; Behavior.same
    )(_ ! Command.Pay(5))
    assertEquals(lines, List("pay 5"))
    assertEquals(ConstructorCheckTest.constructions.get, Sends + 1)

  test("a field computed by the constructor is computed once per message"):
    ConstructorCheckTest.constructions.set(0)
    val notes = arrived[Stamped](notes =>
      Behavior.receive { case stamped @ Stamped(n) =>
        notes.add(s"$n ${stamped.n}"): Unit; Behavior.same
      }
    )(_ ! Stamped(3))
    assertEquals(notes, List("3 3"))
    assertEquals(ConstructorCheckTest.constructions.get, Sends + 1)

  test("an apply that transforms its argument is called"):
    val lines = arrived[Even](notes =>
      Behavior.receive { case Even(n) => notes.add(s"$n"): Unit; Behavior.same }
    )(_ ! Even(7))
    assertEquals(lines, List("6"))

  test("a secondary constructor is called"):
    val lines = arrived[Length](notes =>
      Behavior.receive { case Length(n, unit) => notes.add(s"$n $unit"): Unit; Behavior.same }
    )(_ ! new Length(5, 2))
    assertEquals(lines, List("5000 2"))

  test("default and named arguments reach their fields"):
    val lines = arrived[Length](notes =>
      Behavior.receive { case Length(n, unit) => notes.add(s"$n $unit"): Unit; Behavior.same }
    )(_ ! Length(millimetres = 5))
    assertEquals(lines, List("5 1"))
    val named = arrived[Length](notes =>
      Behavior.receive { case Length(n, unit) => notes.add(s"$n $unit"): Unit; Behavior.same }
    )(_ ! Length(unit = 3, millimetres = 5))
    assertEquals(named, List("5 3"))

  test("a user-defined unapply is called by the handler"):
    val lines = arrived[Secret](notes =>
      Behavior.receive { case Secret(stars) => notes.add(stars): Unit; Behavior.same }
    )(_ ! Secret(3))
    assertEquals(lines, List("***"))
end ConstructorCheckTest
