package outside.struct

import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.*
import undercroft.struct.*

/** A type without a Struct, which two places store differently. */
class Name(val text: String)

/** Stores a Name as an Int. */
object Narrow:
  given Struct.StoredAs[Name, Int] = Struct.storedAs[Name, Int](_.text.length)(n => Name("n" * n))

  case class Person(id: Int, name: Name, age: Short) derives Struct
  case class Pair(left: Person, right: Person) derives Struct
  case class Team(first: InlineArray[Person, 2]) derives Struct
  case class Link(to: Ref[Person]) derives Struct

  def person(id: Int): Person = Person(id, Name("abc"), 7)
  def ref(using Allocator): Ref[Person] = Ref(person(3))
  def run(using Allocator): RowsRef[Person] = RowsRef(person(1), person(2))
  def pairs(using Allocator): Rows[(Name, Short)] =
    Rows.tabulate[(Name, Short)](4)(i => (Name("abc"), i.toShort))
  def firstAge(rows: Rows[Person]): Int = rows(0).age
  def sizes(using Allocator): StructMap[Int, Person] =
    val map = StructMap[Int, Person]()
    map(1) = person(1)
    map
  def people(using Allocator): StructSet[Person] =
    val set = StructSet[Person]()
    val _ = set.add(person(1))
    set
end Narrow

/** An opaque type that is stored differently inside its object, in which it is an Int. */
object Prices:
  opaque type Price = Int
  object Price:
    def apply(cents: Int): Price = cents
    given Struct.StoredAs[Price, Long] = Struct.storedAs[Price, Long](_.toLong)(_.toInt)

  case class Line(id: Byte, price: Price, amount: Byte)
  given Struct[Line] = Struct.derived
end Prices

/** Stores a Name as 32 bytes. */
object Wide:
  case class Words(words: InlineArray[Long, 4]) derives Struct
  given Struct.StoredAs[Name, Words] =
    Struct.storedAs[Name, Words](_ => Words(InlineArray.fill[Long, 4](0x4141414141414141L)))(_ =>
      Name("?")
    )

case class CanaryRow(value: Long) derives Struct

class LayoutMismatchTest extends undercroft.tools.Suite:
  import Narrow.{Link, Pair, Person, Team}
  import Wide.given

  /** The error of code that was compiled for the other layout of Person. */
  private def refused(code: => Any)(using munit.Location): LayoutMismatchException =
    val error = intercept[LayoutMismatchException](code)
    assert(error.field.endsWith("name") || error.field.contains("name."), error.getMessage)
    error

  /** Runs code over ten rows of 12 bytes, and compares the bytes of all rows afterwards. */
  private def withRows(code: Region ?=> Rows[Person] => Any)(using munit.Location): Unit =
    Region.scoped:
      val rows = generic[Person](10, i => Narrow.person(i))
      val before = rows.segment.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).nn.toVector
      refused(code(rows)): Unit
      val after = rows.segment.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).nn.toVector
      assertEquals(after, before)

  /** Rows that are stored by their Struct, as by code that does not know their type. */
  private def generic[T: Struct](size: Int, value: Int => T)(using Allocator): Rows[T] =
    val rows = Rows[T](size)
    for i <- 0 until size do rows(i) = value(i)
    rows

  private def genericColumns[T: Struct](size: Int, value: Int => T)(using
      Allocator
  ): Columns[T] =
    val rows = Columns[T](size)
    for i <- 0 until size do rows(i) = value(i)
    rows

  test("LayoutMismatchException names the type, the first differing field and both layouts"):
    withRows: rows =>
      val error = intercept[LayoutMismatchException](rows(0))
      assertEquals(error.typeName, "Person")
      assertEquals(error.field, "name.words")
      assert(error.compiled.contains("InlineArray[Long, 4]"), error.compiled)
      assert(error.compiled.contains("at offset 8"), error.compiled)
      assert(error.found.contains("`name`: Int at offset 4"), error.found)
      assert(error.getMessage.contains("Person"), error.getMessage)
      throw error

  test("reading a row with a layout that differs from its Struct's throws"):
    withRows(rows => rows(3))

  test("reading a field of a row with another layout throws"):
    withRows(rows => rows(3).age)

  test("storing a row with another layout throws and changes nothing"):
    withRows(rows => rows(3) = Person(9, Name("x"), 9))

  test("changing a field of a row with another layout throws and changes nothing"):
    withRows(rows => rows.updateAt(3)(_.id)(_ + 1))
    withRows(rows => rows.updateAll(_.age)(a => (a + 1).toShort))
    withRows(rows => rows.transformAt(3)(_.copy(id = 5)))
    withRows(rows => rows.transform(_.copy(id = 5)))
    withRows(rows => rows.fill(Person(9, Name("x"), 9)))

  test("setFrom between tables throws if one of them has another layout"):
    withRows: rows =>
      val targets = Rows[CanaryRow](10)
      targets.setFrom(rows)(person => CanaryRow(person.id.toLong))
    withRows: rows =>
      val sources = Rows[CanaryRow](10)
      rows.setFrom(sources)(canary => Person(canary.value.toInt, Name("x"), 1))

  test("copies between tables whose Structs have different layouts throw and change nothing"):
    Region.scoped:
      val pairs = Narrow.pairs
      val target = Rows[(Name, Short)](4)
      val growing = Rows.growing[(Name, Short)]
      val error = intercept[LayoutMismatchException](target.copyFrom(pairs))
      assert(error.field.contains("_1"), error.getMessage)
      intercept[LayoutMismatchException](growing.appendAll(pairs)): Unit
      intercept[LayoutMismatchException](growing.appendAll(pairs.concat(pairs))): Unit
      intercept[LayoutMismatchException](pairs.concat(pairs).copy): Unit
      assertEquals(growing.size, 0L)
      val bytes = target.segment.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).nn
      assert(bytes.forall(_ == 0))

  test("a loop over rows of another layout throws"):
    withRows(rows => rows.sumOf(_.id))
    withRows(rows => rows.foreach(_ => ()))
    withRows(rows => rows.filter(_.id > 3).map(_.age).count(_ > 1))
    withRows(rows => rows.slice(2, 5).sumOf(_.id))
    withRows(rows => rows.reverse.sumOf(_.id))
    withRows(rows => rows.strided(2).exists(_.id == 4))
    withRows: rows =>
      val canaries = Rows[CanaryRow](10)
      canaries.zip(rows).count((canary, person) => canary.value == person.id)

  test("sorting, searching and grouping rows of another layout throw"):
    withRows(rows => rows.sortBy(_.id))
    withRows(rows => rows.sortInPlaceBy(_.id))
    withRows(rows => rows.binarySearchBy(_.id)(3))
    withRows(rows => rows.partition(_.id > 3))
    withRows(rows => rows.groupBy(_.id))
    withRows(rows => rows.distinctBy(_.id))
    withRows(rows => rows.topBy(2)(_.id))

  test("parallel operations over rows of another layout throw"):
    withRows(rows => rows.parFilter(_.id > 3))
    withRows(rows => rows.parSortBy(_.id))
    withRows(rows => rows.parAggregate(0L)((sum, person) => sum + person.id)(_ + _))

  test("reading or storing columns of another layout throws"):
    Region.scoped:
      val columns = genericColumns[Person](10, i => Narrow.person(i))
      refused(columns(3)): Unit
      refused(columns(3) = Person(9, Name("x"), 9)): Unit
      refused(columns.sumOf(_.id)): Unit
      refused(columns.column(_.age)): Unit
      refused(columns.updateAt(3)(_.id)(_ + 1)): Unit

  test("appending rows of another layout throws, appends nothing and corrupts no other memory"):
    val neighbour = Region.shared("neighbour")
    try
      Region.scoped:
        val people = Rows.growingTo[Person](4096)
        val canaries =
          Rows.tabulate[CanaryRow](8192)(_ => CanaryRow(-7))(using neighbour)
        for _ <- 0 until 4096 do refused(people += Person(1, Name("a"), 2)): Unit
        refused(people.appendAll(100)(i => Person(i.toInt, Name("a"), 2))): Unit
        assertEquals(people.size, 0L)
        assertEquals(canaries.count(_.value != -7), 0L)
        val columns = Columns.growingTo[Person](64)
        refused(columns += Person(1, Name("a"), 2)): Unit
        assertEquals(columns.size, 0L)
    finally neighbour.close()

  test("tabulating rows of another layout throws"):
    Region.scoped:
      refused(Rows.tabulate[Person](1000)(i => Person(i.toInt, Name("a"), 2))): Unit

  test("creating a reference with a value of another layout throws"):
    Region.scoped:
      refused(Ref(Person(1, Name("a"), 2))): Unit
      refused(Ref.zeroed[Person]): Unit

  test("creating a reference to a row of another layout throws"):
    withRows(rows => rows.ref(3))

  test("reading or storing through a reference from code with another layout throws"):
    Region.scoped:
      val ref = Narrow.ref
      refused(ref.id): Unit
      refused(ref.id = 4): Unit
      refused(ref()): Unit
      refused(ref() = Person(1, Name("a"), 2)): Unit
      refused(ref(_.age)): Unit
      refused(ref.update(_.id)(_ + 1)): Unit
      refused(ref.transform(_.copy(id = 4))): Unit
      refused(ref.atomic(_.id)): Unit
      val refs = RefArray[Person](1)
      refs(0) = ref
      refused(refs.view.sumOf(_.age)): Unit
      refused(refs.view.exists(_.id == 3)): Unit
      val link = Ref(Link(ref))
      refused(link.to.age): Unit

  test("the size of a run of another layout throws"):
    Region.scoped:
      val run = Narrow.run
      intercept[LayoutMismatchException](run.size): Unit
      intercept[LayoutMismatchException](run(0)): Unit

  test("every operation on a map or set of another layout throws"):
    Region.scoped:
      refused(StructMap[Int, Person]()): Unit
      refused(StructSet[Person]()): Unit
      val map = Narrow.sizes
      refused(map(1)): Unit
      refused(map.get(1)): Unit
      refused(map.getOrElse(1, Person(1, Name("a"), 2))): Unit
      refused(map.contains(1)): Unit
      refused(map(2) = Person(1, Name("a"), 2)): Unit
      refused(map.updateOrElse(2, Person(1, Name("a"), 2))(p => p)): Unit
      refused(map.remove(1)): Unit
      refused(map.foreach((_, _) => ())): Unit
      assertEquals(map.size, 1L)
      val set = Narrow.people
      refused(set.contains(Person(1, Name("abc"), 7))): Unit
      refused(set.add(Person(2, Name("abc"), 7))): Unit
      refused(set.remove(Person(1, Name("abc"), 7))): Unit
      refused(set.foreach(_ => ())): Unit
      assertEquals(set.size, 1L)

  test("a layout mismatch in a nested struct or an InlineArray throws"):
    Region.scoped:
      val pairs = generic[Pair](2, i => Pair(Narrow.person(i), Narrow.person(i)))
      assertEquals(intercept[LayoutMismatchException](pairs(0)).typeName, "Pair")
      val teams = Rows[Team](2)
      assertEquals(intercept[LayoutMismatchException](teams(0)).field, "first")

  test("storing a type that is opaque here but transparent at its derivation throws"):
    import Prices.{Line, Price}
    Region.scoped:
      val lines = Rows[Line](4)
      val error = intercept[LayoutMismatchException](lines(0) = Line(1, Price(250), 3))
      assertEquals(error.field, "price")
      assert(error.compiled.startsWith("Long"), error.compiled)
      assert(error.found.startsWith("Int"), error.found)
      val growing = Rows.growing[Line]
      intercept[LayoutMismatchException](growing += Line(1, Price(250), 3)): Unit
      assertEquals(growing.size, 0L)

  test("code with the layout of the Struct works while code with another layout throws"):
    Region.scoped:
      val rows = generic[Person](2, i => Narrow.person(i))
      assertEquals(Narrow.firstAge(rows), 7)
      intercept[LayoutMismatchException](rows(0).age): Unit
      assertEquals(Narrow.firstAge(rows), 7)

  test("a handwritten Struct does not compile, and the error names the cure"):
    val errors = typeCheckErrors("""
      import undercroft.struct.*
      import java.lang.foreign.MemorySegment
      final class Liar extends Struct[CanaryRow](0L, 1, 1, 1, 1):
        def describe = ???
        def loadAligned(s: MemorySegment, o: Long) = CanaryRow(1)
        def loadPacked(s: MemorySegment, o: Long) = CanaryRow(1)
        def loadColumns(s: MemorySegment, c: Long, r: Long) = CanaryRow(1)
        def eachAligned(s: MemorySegment, o: Long, r: Int, f: CanaryRow => Boolean) = true
        def eachPacked(s: MemorySegment, o: Long, r: Int, f: CanaryRow => Boolean) = true
        def eachColumns(s: MemorySegment, c: Long, o: Long, r: Int, f: CanaryRow => Boolean) = true
        def storeAligned(s: MemorySegment, o: Long, v: CanaryRow) = ()
        def storePacked(s: MemorySegment, o: Long, v: CanaryRow) = ()
        def storeColumns(s: MemorySegment, c: Long, o: Long, v: CanaryRow) = ()
    """)
    assertEquals(errors.size, 1)
    assert(errors.head.message.contains("derives Struct"), errors.head.message)

  test("creating a handwritten Struct with null evidence throws UnsupportedOperationException"):
    import java.lang.foreign.MemorySegment
    def liar = new Struct[CanaryRow](0L, 1, 1, 1, 1)(using null):
      def describe = ???
      def loadAligned(s: MemorySegment, o: Long) = CanaryRow(1)
      def loadPacked(s: MemorySegment, o: Long) = CanaryRow(1)
      def loadColumns(s: MemorySegment, c: Long, r: Long) = CanaryRow(1)
      def eachAligned(s: MemorySegment, o: Long, r: Int, f: CanaryRow => Boolean) = true
      def eachPacked(s: MemorySegment, o: Long, r: Int, f: CanaryRow => Boolean) = true
      def eachColumns(s: MemorySegment, c: Long, o: Long, r: Int, f: CanaryRow => Boolean) = true
      def storeAligned(s: MemorySegment, o: Long, v: CanaryRow) = ()
      def storePacked(s: MemorySegment, o: Long, v: CanaryRow) = ()
      def storeColumns(s: MemorySegment, c: Long, o: Long, v: CanaryRow) = ()
    intercept[UnsupportedOperationException](liar): Unit

  test("a handwritten Allocator does not compile"):
    val errors = typeCheckErrors("""
      import undercroft.memory.*
      import java.lang.foreign.MemorySegment
      final class Mine(under: Region) extends Allocator:
        def name = "mine"
        def allocate(byteSize: Long, byteAlignment: Long): MemorySegment = under.allocate(byteSize, byteAlignment)
        def block(byteSize: Long, byteAlignment: Long): Address = Address.Null
        def reserve(upToBytes: Long): Reservation = under.reserve(upToBytes)
        def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment = under.allocate(byteSize, byteAlignment)
        def blockUninit(byteSize: Long, byteAlignment: Long): Address = Address.Null
    """)
    assert(errors.exists(_.message.contains("constructor Allocator")), errors.map(_.message))
end LayoutMismatchTest
