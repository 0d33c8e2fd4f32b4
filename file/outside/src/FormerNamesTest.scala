package outside.file

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFile}
import undercroft.struct.*

/** Classes of the first version of a program. */
object FirstNames:
  case class Spot(x: Int, y: Int) derives Struct, CanEqual
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(cost: Int, amount: Short)
  case class Event(
      no: Long,
      place: Spot,
      change: Change,
      spots: InlineArray[Spot, 2],
      text: Option[Text[8]]
  ) derives Struct, CanEqual

  def event(i: Int): Event = Event(
    i,
    Spot(i, -i),
    if i % 2 == 0 then Change.Opened else Change.Traded(i, 5),
    InlineArray(Spot(i, 1), Spot(2, i)),
    Option.when(i % 3 == 0)(Text(s"t$i"))
  )
end FirstNames

/** The same classes with new names, in an object of a name of its own. */
object SecondNames:
  case class Spot(@formerly("x") column: Int, @formerly("y") row: Int) derives Struct, CanEqual
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(amount: Short, @formerly("fee", "cost") price: Long)
  case class Event(
      @formerly("number", "no") id: Long,
      @formerly("place") at: Spot,
      change: Change,
      @formerly("spots") path: InlineArray[Spot, 2],
      @formerly("text") @formerly("label") note: Option[Text[8]]
  ) derives Struct, CanEqual

  def event(i: Int): Event = Event(
    i,
    Spot(i, -i),
    if i % 2 == 0 then Change.Opened else Change.Traded(5, i),
    InlineArray(Spot(i, 1), Spot(2, i)),
    Option.when(i % 3 == 0)(Text(s"t$i"))
  )
end SecondNames

object Names:
  case class Cost(cost: Int) derives Struct, CanEqual
  case class Price(@formerly("cost", "amount") price: Int) derives Struct, CanEqual
  case class Both(cost: Int, amount: Int, id: Int) derives Struct
  case class Old(cost: Int, price: Int) derives Struct
  case class Pair[A, B](@formerly("a") first: A, @formerly("b") second: B)
  given [A: Struct, B: Struct] => Struct[Pair[A, B]] = Struct.derived
  case class OldPair(a: Int, b: Long) derives Struct
  case class OldOption(cost: Option[Int]) derives Struct, CanEqual

  def firstOf[T: Struct](path: Path): T =
    Using.resource(Rows.openReadOnly[T](path))(_(0))

/** Fields that had other names. */
class FormerNamesTest extends undercroft.tools.Suite:
  import Names.*
  import Trades.{failure, inFolder}

  private inline def readsFormerNames[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.events")
      Using.resource(tables.create[FirstNames.Event](path, maxRows = 200)): table =>
        for i <- 0 until 100 do table += FirstNames.event(i)
        table.commit()
      Using.resource(tables.openReadOnly[SecondNames.Event](path)): table =>
        assertEquals(table.toVector, Vector.tabulate(100)(SecondNames.event))
      Using.resource(tables.open[SecondNames.Event](path, maxRows = 200)): table =>
        table += SecondNames.event(100)
        table.commit()
      Using.resource(StructFile.open(path)): file =>
        val names = file.schema.fields.toString.split("\\W+").nn.toSet
        for name <- Seq("no", "place", "spots", "cost", "text", "x", "y") do
          assert(!names.contains(name), file.schema.fields.toString)
        for name <- Seq("id", "at", "path", "price", "note", "column", "row") do
          assert(names.contains(name), file.schema.fields.toString)
      Using.resource(tables.openReadOnly[SecondNames.Event](path)): table =>
        assertEquals(table.toVector, Vector.tabulate(101)(SecondNames.event))
      val (kind, words) = failure(tables.openReadOnly[FirstNames.Event](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field id of type Long is unexpected"), words)

  test("renamed fields of a file of rows are read by their former names, and stored by the new"):
    readsFormerNames(Rows)
  test("renamed fields of a file of packed rows are read by their former names"):
    readsFormerNames(PackedRows)
  test("renamed fields of a file of columns are read by their former names"):
    readsFormerNames(Columns)

  private def written[T: Struct](path: Path, row: T): Path =
    Using.resource(Rows.create[T](path)): table =>
      table += row
      table.commit()
    path

  test("a class that has only a renamed field maps the rows, sees commits and rewrites to append"):
    inFolder: folder =>
      val path = folder.resolve("day.prices")
      Using.resource(Rows.create[Cost](path)): writer =>
        writer += Cost(7)
        writer.commit()
        Using.resource(Rows.openReadOnly[Price](path)): table =>
          assertEquals(table.sumOf(_.price), 7L)
          writer += Cost(8)
          writer.commit()
          assertEquals(table.refresh(), 2L) // converted rows would not see it
          assertEquals(table(1), Price(8))
      Using.resource(Rows.open[Price](path)): table =>
        table += Price(9)
        table.seal()
      Using.resource(Rows.openReadOnly[Price](path)): table =>
        assertEquals(table.toVector, Vector(Price(7), Price(8), Price(9)))
      assertEquals(failure(Rows.openReadOnly[Cost](path))._1, ErrorKind.WRONG_SCHEMA)

  test("a folder of files with the old and the new name of a field is one table"):
    inFolder: parent =>
      val folder = parent.resolve("prices")
      Columns.folder[Cost](folder, maxRows = 10).add(_ += Cost(1))
      val writer = Columns.folder[Price](folder, maxRows = 10)
      writer.add(_ += Price(2))
      Using.resource(Columns.openAll[Price](folder)): table =>
        assertEquals(table.map(_.price).toVector.sorted, Vector(1, 2))
      assertEquals(writer.compact(), 2)
      Using.resource(Columns.openAll[Price](folder)): table =>
        assertEquals(table.files.size, 1)
        assertEquals(table.map(_.price).toVector.sorted, Vector(1, 2))

  test("a file with several names of one field is rejected, and the error has the names"):
    inFolder: folder =>
      val path = written(folder.resolve("day.both"), Both(1, 2, 3))
      for (kind, words) <-
          Seq(failure(Rows.openReadOnly[Price](path)), failure(Rows.open[Price](path)))
      do
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        assert(
          words.contains(
            "the file has the fields cost and amount, and each may be the field price"
          ),
          words
        )
      val old = written(folder.resolve("day.old"), Old(1, 2))
      val (_, words) = failure(Rows.openReadOnly[Price](old))
      assert(words.contains("the file has the fields cost and price"), words)

  test("a renamed field keeps the rules of types, and the error has both types"):
    inFolder: folder =>
      val path = written(folder.resolve("day.option"), OldOption(Some(1)))
      val (kind, words) = failure(Rows.openReadOnly[Price](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field price is an Option of Int; expected Int"), words)

  test("generic code and classes with type parameters read former names"):
    inFolder: folder =>
      val path = written(folder.resolve("day.pairs"), OldPair(3, 4))
      assertEquals(firstOf[Pair[Int, Long]](path).second, 4L)
      assertEquals(firstOf[Price](written(folder.resolve("day.costs"), Cost(5))), Price(5))
      def generic[A: Struct](path: Path): Pair[Int, A] =
        Using.resource(Rows.openReadOnly[Pair[Int, A]](path))(_(0))
      assertEquals(generic[Long](path).first, 3)
      assertEquals(Files.exists(path), true)

  test("a former name that two fields may have does not compile"):
    def says(errors: String, words: String): Unit = assert(errors.contains(words), errors)
    says(
      compileErrors("""case class A(@formerly("y") x: Int, y: Int) derives Struct"""),
      "A cannot derive Struct: field `x` has the former name `y`, which is the name of another field"
    )
    says(
      compileErrors(
        """case class A(@formerly("z") x: Int, @formerly("z") y: Int) derives Struct"""
      ),
      "field `x` has the former name `z`, which the field `y` has too"
    )
    says(
      compileErrors("""case class A(@formerly("x") x: Int) derives Struct"""),
      "field `x` has its present name `x` as a former name"
    )
    says(
      compileErrors("""case class A(@formerly("y", "y") x: Int) derives Struct"""),
      "field `x` has the former name `y` twice"
    )
    says(
      compileErrors("""case class A(@formerly("") x: Int) derives Struct"""),
      "field `x` has an empty string as a former name"
    )
    says(
      compileErrors("""def n = "n"; case class A(@formerly(n) x: Int) derives Struct"""),
      "field `x` has a former name that is not written out as a string"
    )
    says(
      compileErrors(
        """enum E derives Struct { case A; case B(@formerly("y") x: Int, y: Int) }"""
      ),
      "field `x` has the former name `y`, which is the name of another field"
    )
end FormerNamesTest
