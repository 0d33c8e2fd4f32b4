package outside.file

import java.nio.file.{Files, Path}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*

/** A type without a Struct, stored in two ways. */
class Name(val text: String)

/** Stores a Name as an Int. */
object Narrow:
  given Struct.StoredAs[Name, Int] = Struct.storedAs[Name, Int](_.text.length)(n => Name("n" * n))
  case class Person(id: Int, name: Name, age: Short) derives Struct
  def create(path: Path): FileTable[Person, Aligned] = Rows.create[Person](path, maxRows = 100)
  def write(path: Path): Unit =
    val rows = create(path)
    rows += Person(1, Name("abc"), 7)
    rows.commit()
    rows.close()

/** Stores a Name as a Long. */
object Wide:
  given Struct.StoredAs[Name, Long] =
    Struct.storedAs[Name, Long](_.text.length)(n => Name("n" * n.toInt))

class LayoutMismatchTest extends undercroft.tools.Suite:
  import Narrow.Person
  import Wide.given

  private val folder = FunFixture[Path](
    setup = _ => Files.createTempDirectory("layouts"),
    teardown = folder =>
      val files = Files.walk(folder)
      files.sorted(java.util.Comparator.reverseOrder).forEach(Files.delete(_))
      files.close()
  )

  folder.test("a file is not created by code with a layout other than the Struct's"): folder =>
    val path = folder.resolve("people.struct")
    val error = intercept[LayoutMismatchException](Rows.create[Person](path, maxRows = 100))
    assertEquals(error.field, "name")
    assert(Files.notExists(path))

  folder.test("a file is not opened by code with a layout other than the Struct's"): folder =>
    val path = folder.resolve("people.struct")
    Narrow.write(path)
    intercept[LayoutMismatchException](Rows.open[Person](path)): Unit
    intercept[LayoutMismatchException](Rows.openReadOnly[Person](path)): Unit

  folder.test("appending by code with another layout throws and appends nothing"): folder =>
    val rows = Narrow.create(folder.resolve("people.struct"))
    try
      intercept[LayoutMismatchException](rows += Person(1, Name("abc"), 7)): Unit
      assertEquals(rows.size, 0L)
    finally rows.close()
end LayoutMismatchTest
