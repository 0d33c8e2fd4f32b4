package outside.file

import java.nio.file.{Files, Path}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*

/** A type without a Struct, stored in two ways. */
class PersonName(val text: String)

/** Stores a PersonName as an Int. */
object NarrowFile:
  given Struct.StoredAs[PersonName, Int] =
    Struct.storedAs[PersonName, Int](_.text.length)(n => PersonName("n" * n))
  case class Person(id: Int, name: PersonName, age: Short) derives Struct
  def create(path: Path): FileTable[Person, Aligned] = Rows.create[Person](path, maxRows = 100)
  def write(path: Path): Unit =
    val rows = create(path)
    rows += Person(1, PersonName("abc"), 7)
    rows.commit()
    rows.close()

/** Stores a PersonName as a Long. */
object WideFile:
  given Struct.StoredAs[PersonName, Long] =
    Struct.storedAs[PersonName, Long](_.text.length)(n => PersonName("n" * n.toInt))

class FileLayoutMismatchTest extends undercroft.tools.Suite:
  import NarrowFile.Person
  import WideFile.given

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
    NarrowFile.write(path)
    intercept[LayoutMismatchException](Rows.open[Person](path)): Unit
    intercept[LayoutMismatchException](Rows.openReadOnly[Person](path)): Unit

  folder.test("appending by code with another layout throws and appends nothing"): folder =>
    val rows = NarrowFile.create(folder.resolve("people.struct"))
    try
      intercept[LayoutMismatchException](rows += Person(1, PersonName("abc"), 7)): Unit
      assertEquals(rows.size, 0L)
    finally rows.close()
end FileLayoutMismatchTest
