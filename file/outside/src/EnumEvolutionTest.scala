package outside.file

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFile}
import undercroft.struct.*

/** An enum of a newer program, alone and in each place that an enum can have. */
object AllCases:
  enum State derives Struct, CanEqual:
    case New, Open, Held, Closed
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short)
    case Named(name: Text[12])
    case Closed
  case class Step(id: Int, state: State) derives Struct, CanEqual
  case class Event(
      id: Int,
      state: State,
      maybe: Option[State],
      change: Change,
      states: InlineArray[State, 2],
      steps: InlineArray[Step, 2]
  ) derives Struct, CanEqual

  def event(i: Int, state: State, maybe: Option[State], change: Change): Event =
    Event(
      i,
      state,
      maybe,
      change,
      InlineArray(state, State.Open),
      InlineArray(Step(i, state), Step(0, State.Open))
    )
end AllCases

/** The same enums of an older program, which has some of the cases. */
object SomeCases:
  enum State derives Struct, CanEqual:
    case Open, Closed
  enum Change derives Struct, CanEqual:
    case Traded(amount: Short, price: Int)
    case Closed
  enum Kind derives Struct, CanEqual:
    case Traded, Closed
  case class Step(state: State, id: Int) derives Struct, CanEqual
  case class Event(
      steps: InlineArray[Step, 2],
      states: InlineArray[State, 2],
      change: Change,
      maybe: Option[State],
      state: State,
      id: Int
  ) derives Struct, CanEqual
  case class OnlyState(state: State) derives Struct, CanEqual
  case class OnlyMaybe(maybe: Option[State]) derives Struct, CanEqual
  case class OnlyStates(states: InlineArray[State, 2]) derives Struct, CanEqual
  case class OnlySteps(steps: InlineArray[Step, 2]) derives Struct, CanEqual
  case class OnlyChange(change: Change) derives Struct, CanEqual
  case class OnlyKind(change: Kind) derives Struct, CanEqual
  case class Became(maybe: Option[Option[State]]) derives Struct, CanEqual
end SomeCases

object OtherCases:
  enum Turned derives Struct, CanEqual:
    case Closed, Open
  enum Added derives Struct, CanEqual:
    case Open, Closed, Lost
  case class Order(state: Turned) derives Struct
  case class More(state: Added) derives Struct

/** Cases with new names. */
object NewCases:
  enum State derives Struct, CanEqual:
    case New
    @formerly("Open") case Active
    case Held
    @formerly("Done", "Closed") case Finished
    case Lost
  enum Change derives Struct, CanEqual:
    case Opened
    @formerly("Traded") case Sold(price: Long, amount: Short)
    @formerly("Named") case Labelled(@formerly("name") label: Text[12])
    @formerly("Closed") case Ended
  case class Step(id: Int, state: State) derives Struct, CanEqual
  case class Event(
      id: Int,
      state: State,
      maybe: Option[State],
      change: Change,
      states: InlineArray[State, 2],
      steps: InlineArray[Step, 2]
  ) derives Struct, CanEqual
end NewCases

object RenamedPart:
  enum State derives Struct, CanEqual:
    @formerly("Closed") case Finished
  case class OnlyState(state: State) derives Struct, CanEqual
  sealed trait Shape derives Struct, CanEqual
  case object Nothing extends Shape
  case class Round(radius: Int) extends Shape
  sealed trait NewShape derives Struct, CanEqual
  @formerly("Nothing") case object Empty extends NewShape
  @formerly("Round") case class Circle(radius: Int) extends NewShape
  enum Before derives Struct, CanEqual:
    case A, B
  enum After derives Struct, CanEqual:
    @formerly("A", "B") case C
    case D
end RenamedPart

/** Files whose enums have more cases than the class, or cases with other names. */
class EnumEvolutionTest extends undercroft.tools.Suite:
  import AllCases.{Change, Event, State}
  import Trades.{failure, inFolder}

  private def written[T: Struct, L <: Layout](tables: TableFactory[L], path: Path, rows: T*): Path =
    Using.resource(tables.create[T](path, maxRows = 200)): table =>
      table.appendAll(rows)
      table.commit()
    path

  private def events(count: Int): Vector[Event] = Vector.tabulate(count): i =>
    AllCases.event(
      i,
      if i % 2 == 0 then State.Open else State.Closed,
      Option.when(i % 3 == 0)(State.Closed),
      if i % 2 == 0 then Change.Traded(i, 7) else Change.Closed
    )

  private def part(event: Event): SomeCases.Event =
    def state(state: State) = SomeCases.State.valueOf(state.toString)
    SomeCases.Event(
      InlineArray.tabulate[SomeCases.Step, 2]: i =>
        SomeCases.Step(state(event.steps(i).state), event.steps(i).id),
      InlineArray.tabulate[SomeCases.State, 2](i => state(event.states(i))),
      event.change match
        case Change.Traded(price, amount) => SomeCases.Change.Traded(amount, price)
        case _                            => SomeCases.Change.Closed,
      event.maybe.map(state),
      state(event.state),
      event.id
    )

  private inline def readsPart[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val all = events(100)
    val path = written(tables, folder.resolve("day.events"), all*)
    val bytes = Files.readAllBytes(path).toVector
    Using.resource(tables.openReadOnly[SomeCases.Event](path)): table =>
      assertEquals(table.toVector, all.map(part))
      assertEquals(table.count(_.state == SomeCases.State.Closed), 50L)
    Using.resource(tables.openReadOnly[SomeCases.OnlyKind](path)): table =>
      assertEquals(table(1).change, SomeCases.Kind.Closed)
      assertEquals(table.count(_.change == SomeCases.Kind.Traded), 50L)
    Using.resource(tables.openReadOnly[SomeCases.Became](path)): table =>
      assertEquals(table.toVector.map(_.maybe.flatten), all.map(part(_).maybe))
    // A writer would lose the other cases.
    val (kind, words) = failure(tables.open[SomeCases.Event](path, maxRows = 200))
    assertEquals(kind, ErrorKind.WRONG_SCHEMA)
    assert(words.contains("field state is an enum of New, Open, Held, Closed; expected"), words)
    assertEquals(Files.readAllBytes(path).toVector, bytes)

  test("a class with fewer cases reads a file of rows that uses no other ones")(readsPart(Rows))
  test("a class with fewer cases reads a file of packed rows that uses no other ones"):
    readsPart(PackedRows)
  test("a class with fewer cases reads a file of columns that uses no other ones"):
    readsPart(Columns)

  private inline def rejectsOthers[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val good = events(2)
    def path(name: String, event: Event): Path =
      written(tables, folder.resolve(name), good :+ event*)
    val held = path("held", good(0).copy(state = State.Held))
    val wrong = path(
      "wrong",
      Event(
        2,
        State.Open,
        Some(State.New),
        Change.Named(Text("x")),
        InlineArray(State.Open, State.Held),
        InlineArray(AllCases.Step(0, State.Open), AllCases.Step(0, State.New))
      )
    )
    val cases = "but the class has only the cases Open, Closed"
    for
      ((kind, words), part) <- Seq(
        failure(tables.openReadOnly[SomeCases.OnlyState](held)) ->
          s"row 2: field state is Held, $cases",
        failure(tables.openReadOnly[SomeCases.OnlyMaybe](wrong)) ->
          s"row 2: field maybe.get is New, $cases",
        failure(tables.openReadOnly[SomeCases.OnlyStates](wrong)) ->
          s"row 2: field states is Held, $cases",
        failure(tables.openReadOnly[SomeCases.OnlySteps](wrong)) ->
          s"row 2: field steps is New, $cases",
        failure(tables.openReadOnly[SomeCases.OnlyChange](wrong)) ->
          "row 2: field change.tag is Named, but the class has only the cases Traded, Closed",
        failure(tables.openReadOnly[SomeCases.OnlyKind](wrong)) ->
          "row 2: field change is Named, but the class has only the cases Traded, Closed"
      )
    do
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains(part), words)
    Using.resource(tables.openReadOnly[SomeCases.OnlyState](wrong))(table =>
      assertEquals(table.size, 3L)
    )
    Using.resource(tables.openReadOnly[Event](wrong))(table => assertEquals(table.size, 3L))

  test("a row of a file of rows with a case that the class lacks is an error that names it"):
    rejectsOthers(Rows)
  test("a row of a file of packed rows with a case that the class lacks is an error that names it"):
    rejectsOthers(PackedRows)
  test("a row of a file of columns with a case that the class lacks is an error that names it"):
    rejectsOthers(Columns)

  test("an absent value has no case, whatever the bytes in its place"):
    inFolder: folder =>
      // The first case, which zeros are, is not in the class.
      val path =
        written(Columns, folder.resolve("day.events"), events(10).map(_.copy(maybe = None))*)
      Using.resource(Columns.openReadOnly[SomeCases.OnlyMaybe](path)): table =>
        assertEquals(table.count(_.maybe.isEmpty), 10L)

  test("another order of the cases, or a case that the file lacks, is an error with both types"):
    inFolder: folder =>
      val path = written(Rows, folder.resolve("day.events"), events(2)*)
      for
        (kind, words) <-
          Seq(
            failure(Rows.openReadOnly[OtherCases.Order](path)),
            failure(Rows.openReadOnly[OtherCases.More](path))
          )
      do
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        assert(
          words.contains("field state is an enum of New, Open, Held, Closed; expected an enum of"),
          words
        )

  test("a sealed file is read by a class with fewer cases"):
    inFolder: folder =>
      val path = folder.resolve("day.events")
      val table = Columns.create[Event](path, maxRows = 100)
      table.appendAll(events(90))
      table.seal()
      Using.resource(Columns.openReadOnly[SomeCases.Event](path)): table =>
        assertEquals(table.toVector, events(90).map(part))

  test("a folder is read by a class with fewer cases as long as no file uses another one"):
    inFolder: parent =>
      val folder = parent.resolve("days")
      val writer = Columns.folder[Event](folder, maxRows = 100)
      writer.add(_.appendAll(events(10)))
      Using.resource(Columns.openAll[SomeCases.OnlyState](folder)): table =>
        assertEquals(table.size, 10L)
        writer.add(_ += events(1).head.copy(state = State.New))
        val (_, words) = failure(table.refresh())
        assert(words.contains("row 0: field state is New"), words)
      val (kind, _) = failure(Columns.folder[SomeCases.Event](folder, maxRows = 100).compact())
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      Using.resource(Columns.openAll[OnlyStates](folder))(table => assertEquals(table.size, 11L))

  private def renamed(event: Event): NewCases.Event =
    def state(state: State) = NewCases.State.fromOrdinal(state.ordinal)
    NewCases.Event(
      event.id,
      state(event.state),
      event.maybe.map(state),
      event.change match
        case Change.Opened                => NewCases.Change.Opened
        case Change.Traded(price, amount) => NewCases.Change.Sold(price, amount)
        case Change.Named(name)           => NewCases.Change.Labelled(name)
        case Change.Closed                => NewCases.Change.Ended,
      InlineArray.tabulate[NewCases.State, 2](i => state(event.states(i))),
      InlineArray.tabulate[NewCases.Step, 2]: i =>
        NewCases.Step(event.steps(i).id, state(event.steps(i).state))
    )

  private inline def readsRenamed[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val all =
      events(50) :+ AllCases.event(50, State.New, Some(State.Held), Change.Named(Text("Ada"))) :+
        AllCases.event(51, State.Held, None, Change.Opened)
    val path = written(tables, folder.resolve("day.events"), all*)
    Using.resource(tables.openReadOnly[NewCases.Event](path)): table =>
      assertEquals(table.toVector, all.map(renamed))
    Using.resource(tables.open[NewCases.Event](path, maxRows = 200)): table =>
      table += renamed(all.head).copy(state = NewCases.State.Lost)
      table.commit()
    Using.resource(StructFile.open(path)): file =>
      val names = file.schema.fields.toString.split("\\W+").nn.toSet
      for name <- Seq("Open", "Closed", "Traded", "Named") do assert(!names.contains(name), name)
      for name <- Seq("Active", "Finished", "Sold", "Labelled", "Ended") do
        assert(names.contains(name), name)
    Using.resource(tables.openReadOnly[NewCases.Event](path)): table =>
      assertEquals(table.toVector.init, all.map(renamed))
      assertEquals(table(52).state, NewCases.State.Lost)
    val (kind, _) = failure(tables.openReadOnly[Event](path))
    assertEquals(kind, ErrorKind.WRONG_SCHEMA)

  test("renamed cases of a file of rows are read by their former names, and stored by the new"):
    readsRenamed(Rows)
  test("renamed cases of a file of packed rows are read by their former names"):
    readsRenamed(PackedRows)
  test("renamed cases of a file of columns are read by their former names"):
    readsRenamed(Columns)

  test("a class whose only difference is the name of a case maps the rows and sees commits"):
    import RenamedPart.{Circle, Empty, NewShape, Nothing, Round, Shape}
    inFolder: folder =>
      val path = folder.resolve("day.shapes")
      Using.resource(Rows.create[Shape](path)): writer =>
        writer += Nothing
        writer.commit()
        Using.resource(Rows.openReadOnly[NewShape](path)): table =>
          assertEquals(table.toVector, Vector[NewShape](Empty))
          writer += Round(3)
          writer.commit()
          assertEquals(table.refresh(), 2L)
          assertEquals(table(1), Circle(3): NewShape)

  test("a class with a part of the cases knows them by their former names"):
    inFolder: folder =>
      val path =
        written(Rows, folder.resolve("day.events"), events(2).filter(_.state == State.Closed)*)
      Using.resource(Rows.openReadOnly[RenamedPart.OnlyState](path)): table =>
        assertEquals(table.toVector, Vector(RenamedPart.OnlyState(RenamedPart.State.Finished)))

  test("a file with several names of one case is rejected, and the error has the names"):
    inFolder: folder =>
      val path =
        written[RenamedPart.Before, Aligned](Rows, folder.resolve("day"), RenamedPart.Before.A)
      val (kind, words) = failure(Rows.openReadOnly[RenamedPart.After](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("has the cases A and B, and each may be the case C"), words)

  test("a former name that two cases may have does not compile"):
    def says(errors: String, words: String): Unit = assert(errors.contains(words), errors)
    says(
      compileErrors("""enum E derives Struct { @formerly("B") case A; case B }"""),
      "case `A` has the former name `B`, which is the name of another case"
    )
    says(
      compileErrors(
        """enum E derives Struct { @formerly("C") case A; @formerly("C") case B(x: Int) }"""
      ),
      "has the former name `C`, which the case"
    )
    says(
      compileErrors("""enum E derives Struct { @formerly("A") case A; case B(x: Int) }"""),
      "case `A` has its present name `A` as a former name"
    )
    says(
      compileErrors(
        """enum E { @formerly("") case A; case B }; case class C(e: E) derives Struct"""
      ),
      "case `A` has an empty string as a former name"
    )
    says(
      compileErrors(
        """def n = "n"; enum E derives Struct { @formerly(n) case A(x: Int); case B }"""
      ),
      "case `A` has a former name that is not written out as a string"
    )
end EnumEvolutionTest

/** The states of all rows. */
case class OnlyStates(state: AllCases.State) derives Struct
