package outside.file

import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.struct.*

/** A class that has no field in common with [[Trade]]. */
case class Quote(symbol: Int, bid: Double) derives Struct, CanEqual

/** A field of the name of one of [[Trade]], of a type that it cannot have. */
case class TextTrade(id: Text[8]) derives Struct, CanEqual

case class LaterTrade(id: Long, @formerly("amount") volume: Long, price: Int) derives Struct,
      CanEqual

case class RenamedTrade(
    @formerly("id") number: Long,
    @formerly("amount") volume: Int
) derives Struct, CanEqual

enum FormerFigure derives Struct, CanEqual:
  case Round(radius: Int)
  case Box(width: Int, height: Int)

enum Figure derives Struct, CanEqual:
  @formerly("Round") case Circle(radius: Int)
  case Box(width: Int, height: Int)

enum Course derives Struct, CanEqual:
  case Up(price: Int)
  case Down(price: Int)

/** Changes of folders by classes of other versions, and by other classes. */
class FolderSchemasTest extends undercroft.tools.Suite:
  import Trades.*

  test("rows that no class reads with those of the folder are refused before they are written"):
    inFolder: folder =>
      Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      val before = names(folder)
      def refused(write: (() => Unit) => Any, expected: String*): Unit =
        val (kind, words) = failure(write(() => fail("the rows were written")))
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        for part <- folder.toString +: expected do assert(words.contains(part), words)
        assertEquals(names(folder), before)
      refused(
        written => Rows.folder[Quote](folder).add(_ => written()),
        "(symbol, bid)",
        "(id, amount)",
        before.last
      )
      refused(written => Rows.folder[TextTrade](folder).add(_ => written()), "(id)", "(id, amount)")
      refused(written => Rows.folder[Long](folder).add(_ => written()), "(value)")
      refused(
        written => Columns.folder[Trade](folder, 10).add(_ => written()),
        "COLUMNS",
        "ALIGNED"
      )
      refused(written => PackedRows.folder[Trade](folder).add(_ => written()), "PACKED", "ALIGNED")
      assertEquals(ids(folder), Vector(1L))

  test("a later and an earlier class add to the same folder"):
    inFolder: folder =>
      Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      Rows.folder[WideTrade](folder).add(_ += WideTrade(2, 2)) // a wider field
      Rows.folder[Trade](folder).add(_ += Trade(3, 3))
      Rows.folder[LaterTrade](folder).add(_ += LaterTrade(4, 4, 250)) // former names, a new field
      Rows.folder[WideTrade](folder).add(_ += WideTrade(5, 5)) // `id` in common, `amount` renamed
      Using.resource(Rows.openAll[LaterTrade](folder)): table =>
        assertEquals(table.map(_.id).toVector, Vector(1L, 2L, 3L, 4L, 5L))
        assertEquals(table.map(_.volume).toVector, Vector(1L, 2L, 3L, 4L, 5L))

  test("a class whose fields are all renamed adds to the folder of the former one"):
    inFolder: folder =>
      Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      Rows.folder[RenamedTrade](folder).add(_ += RenamedTrade(2, 2))
      Rows.folder[Trade](folder).add(_ += Trade(3, 3)) // an earlier program
      Using.resource(Rows.openAll[RenamedTrade](folder)): table =>
        assertEquals(table.toVector, Vector.tabulate(3)(i => RenamedTrade(i + 1, i + 1)))

  test("an enum whose case was renamed is added to the folder of the former one"):
    inFolder: folder =>
      Rows.folder[FormerFigure](folder).add(_ += FormerFigure.Round(3))
      Rows.folder[Figure](folder).add(_ += Figure.Circle(4))
      Rows.folder[FormerFigure](folder).add(_ += FormerFigure.Round(5))
      Using.resource(Rows.openAll[Figure](folder)): table =>
        assertEquals(
          table.toVector,
          Vector[Figure](Figure.Circle(3), Figure.Circle(4), Figure.Circle(5))
        )
      val words = failure(Rows.folder[Course](folder).add(_ += Course.Up(1)))(1)
      assert(words.contains("a new file has the fields (tag)"), words)

  test("a folder gets rows of another class once its files are replaced"):
    inFolder: folder =>
      Rows.folder[Trade](folder).addTo((day = 1))(_ += Trade(1, 1))
      Rows.folder[Quote](folder).replace((day = 1))(_ += Quote(7, 2.5))
      Using.resource(Rows.openAll[Quote](folder))(table =>
        assertEquals(table.toVector, Vector(Quote(7, 2.5)))
      )

  test("of two first changes with rows of different classes one takes effect"):
    inFolder: folder =>
      val error = failure:
        Rows.folder[Quote](folder).add: file =>
          file += Quote(7, 2.5)
          Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      assertEquals(error._1, ErrorKind.WRONG_SCHEMA)
      assertEquals(ids(folder), Vector(1L))
      assertTidy(folder)

  test("rows are refused if another change has replaced the files that they belong with"):
    inFolder: folder =>
      val days = Rows.folder[Trade](folder)
      days.addTo((day = 1))(_ += Trade(1, 1))
      val error = failure:
        days.addTo((day = 1)): file =>
          file += Trade(2, 2)
          Rows.folder[Quote](folder).replace((day = 1))(_ += Quote(7, 2.5))
      assertEquals(error._1, ErrorKind.WRONG_SCHEMA)
      Using.resource(Rows.openAll[Quote](folder))(table =>
        assertEquals(table.toVector, Vector(Quote(7, 2.5)))
      )
      assertTidy(folder)

  test("a damaged file does not keep others from being added"):
    inFolder: folder =>
      val first = Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      flip(first, 200) // in the schema
      Rows.folder[Trade](folder).add(_ += Trade(2, 2)): Unit
      assertEquals(failure(ids(folder))._1, ErrorKind.CORRUPT)
end FolderSchemasTest
