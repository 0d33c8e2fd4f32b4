package outside.struct

import undercroft.memory.*
import undercroft.struct.*

enum Phase derives Struct, CanEqual:
  case Idle, Busy
  case Late(minutes: Int)
import Phase.*

case class Desk(id: Int, phase: Phase) derives Struct, CanEqual

enum Shift derives CanEqual:
  case Day, Night
case class Worker(id: Int, shift: Shift) derives Struct, CanEqual

/** A stored value whose type is an enum's case without fields is still evaluated, once. */
class CaseObjectTest extends undercroft.tools.Suite:
  private var calls = 0

  private def idle(): Idle.type =
    calls += 1
    Idle
  private def busy: Busy.type =
    calls += 1
    Busy
  private def failing(): Idle.type = throw IllegalStateException("no phase")

  private def once(times: Int)(store: => Unit)(using munit.Location): Unit =
    calls = 0
    store
    assertEquals(calls, times)

  private def desks(using Region) = Rows.from(List(Desk(1, Late(3)), Desk(2, Late(4))))

  test("each store evaluates the value once"):
    Region.scoped:
      val rows = desks
      once(1)(rows(0) = Desk(2, idle()))
      once(1)(rows(0) = Desk(2, busy))
      once(1)(rows(1) = Desk(2, if rows.size > 1 then idle() else Idle))
      once(1)(rows.ref(0).phase = idle())
      once(1)(rows.updateAt(0)(_.phase)(_ => busy))
      once(2)(rows.transform(desk => desk.copy(phase = idle())))
      once(1)(rows.ref(0)() = Desk(3, busy))
      assertEquals(rows.toVector, Vector(Desk(3, Busy), Desk(2, Idle)))
      val phases = Rows.growing[Phase]
      once(1)(phases += idle())
      once(3)(phases.appendAll(3)(_ => busy))
      once(1)(phases.appending(5)(_ += idle()))
      assertEquals(phases.toVector, Vector(Idle, Busy, Busy, Busy, Idle))
      once(2)(assertEquals(Columns.tabulate[Phase](2)(_ => busy).toVector, Vector(Busy, Busy)))
      once(1)(assertEquals(Ref[Phase](idle())(), Idle))
      val map = StructMap[Int, Phase]()
      once(1)(map(1) = idle())
      once(1)(map.updateOrElse(1, Busy)(_ => busy))
      val byPhase = StructMap[Phase, Int]()
      once(1)(byPhase(idle()) = 7)
      assertEquals((map(1), byPhase(Idle)), (Busy, 7))

  test("a null is not stored as a case without fields"):
    Region.scoped:
      val rows = desks
      val growing = Rows.growing[Phase]
      def isMissing = rows.size == 2
      def unknown: Busy.type = null.asInstanceOf[Busy.type]
      val stores = Seq(
        () => rows(0) = Desk(9, null),
        () => rows(0) = Desk(9, unknown),
        () => rows(0) = Desk(9, if isMissing then null else Idle),
        () => rows.ref(0).phase = null,
        () => rows.updateAt(0)(_.phase)(_ => null),
        () => growing += null
      )
      for store <- stores do intercept[NullPointerException](store()): Unit
      assertEquals(rows(0), Desk(1, Late(3)))
      assertEquals(growing.size, 0L)

  test("a pattern of null matches no stored case"):
    Region.scoped:
      val phases = Rows.from(List[Phase](Idle, Busy, Late(3)))
      val names = phases.map:
        case null => "none"
        case Idle => "idle"
        case Busy => "busy"
        case _    => "late"
      assertEquals(names.toVector, Vector("idle", "busy", "late"))
      val workers = Rows.from(List(Worker(1, Shift.Day), Worker(2, Shift.Night)))
      val none: Shift = null
      val numbers = workers.map: worker =>
        worker.shift match
          case null      => 1
          case `none`    => 2
          case Shift.Day => 3
          case _         => 4
      assertEquals(numbers.toVector, Vector(3, 4))

  test("a value that throws is not stored"):
    Region.scoped:
      val rows = desks
      val growing = Rows.growing[Phase]
      def isMissing = rows.size == 2
      val stores = Seq(
        () => rows(0) = Desk(9, failing()),
        () =>
          rows(0) = Desk(9, if isMissing then throw IllegalStateException("no phase") else Idle),
        () => rows.ref(0).phase = failing(),
        () => rows.updateAt(0)(_.phase)(_ => failing()),
        () => growing += failing()
      )
      for store <- stores do
        assertEquals(intercept[IllegalStateException](store()).getMessage, "no phase")
      assertEquals(rows(0), Desk(1, Late(3)))
      assertEquals(growing.size, 0L)
end CaseObjectTest
