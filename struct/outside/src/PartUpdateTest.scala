package outside.struct

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import undercroft.memory.*
import undercroft.struct.*

case class Corner(x: Int, y: Short) derives Struct, CanEqual
enum Style derives Struct, CanEqual:
  case Plain
  case Dashed(on: Int, off: Byte)
case class Shaped(
    id: Byte,
    from: Corner,
    label: Option[Corner],
    style: Style,
    cells: InlineArray[Int, 3],
    grid: InlineArray[InlineArray[Short, 2], 2],
    corners: InlineArray[Corner, 2],
    value: Union[(whole: Int, real: Double)],
    name: Text[6]
) derives Struct, CanEqual

/** Updates of parts that are not one primitive field, and stores through views of rows. */
case class Paired(id: Int, pair: (Int, Long)) derives Struct

class PartUpdateTest extends undercroft.tools.Suite:

  private def shaped(i: Int): Shaped = Shaped(
    i.toByte,
    Corner(i, 1),
    Option.when(i % 2 == 0)(Corner(i, 2)),
    if i % 3 == 0 then Style.Plain else Style.Dashed(i, 4),
    InlineArray(i, i + 1, i + 2),
    InlineArray(InlineArray(1.toShort, 2.toShort), InlineArray(3.toShort, 4.toShort)),
    InlineArray(Corner(i, 5), Corner(i, 6)),
    Union(whole = i),
    Text("abc")
  )

  private val values = Vector.tabulate(5)(shaped)

  private inline def parts[L <: Layout](table: Table[Shaped, L]): Unit =
    table.updateAt(1)(_.from)(c => Corner(c.x + 10, 9))
    assertEquals(table(1), shaped(1).copy(from = Corner(11, 9)))
    table.updateAt(1)(_.from)(_ => Corner(1, 1))
    table.updateAt(1)(_.label)(_.orElse(Some(Corner(7, 8))))
    assertEquals(table(1).label, Some(Corner(7, 8)))
    table.updateAt(1)(_.label)(_ => None)
    table.updateAt(1)(_.style):
      case Style.Dashed(on, off) => Style.Dashed(on + 1, off)
      case plain                 => plain
    assertEquals(table(1).style, Style.Dashed(2, 4))
    table.updateAt(1)(_.style)(_ => Style.Plain)
    table.updateAt(1)(_.style)(_ => Style.Dashed(1, 4))
    table.updateAt(1)(_.cells(2))(_ * 10)
    assertEquals(table(1).cells(2), 30)
    table.updateAt(1)(_.cells(2))(_ / 10)
    val row = 1
    table.updateAt(1)(_.grid(row)(0))(n => (n + 1).toShort)
    assertEquals(table(1).grid(1)(0).toInt, 4)
    table.updateAt(1)(_.grid(row)(0))(n => (n - 1).toShort)
    table.updateAt(1)(_.corners(1))(c => Corner(c.x, 60))
    table.updateAt(1)(_.corners(0).x)(_ + 5)
    assertEquals((table(1).corners(1), table(1).corners(0)), (Corner(1, 60), Corner(6, 5)))
    table.updateAt(1)(_.corners)(_ => shaped(1).corners)
    table.updateAt(1)(_.value.real)(_ => 2.5)
    assertEquals(table(1).value.real, 2.5)
    table.updateAt(1)(_.value)(_ => Union(whole = 1))
    table.updateAt(1)(r => r.cells(r.id))(_ + 1)
    assertEquals(table(1).cells(1), 3)
    table.updateAt(1)(r => r.cells(r.id))(_ - 1)
    assertEquals(table.iterator.toVector, values)

    val bounds = intercept[IndexOutOfBoundsException](table.updateAt(1)(_.cells(row + 2))(_ + 1))
    assert(bounds.getMessage.nn.contains("3"), bounds.getMessage)
    intercept[IndexOutOfBoundsException](table.updateAt(5)(_.from)(c => c)): Unit
    intercept[ArithmeticException](table.updateAt(1)(_.from)(c => Corner(c.x / 0, 1))): Unit
    intercept[IllegalArgumentException](
      table.updateAt(1)(_.name)(_ => Text[6]("far too long"))
    ): Unit
    assertEquals(table.iterator.toVector, values)

    table.updateAll(_.cells(0))(_ + 1)
    table.updateAll(_.label)(_.map(c => Corner(c.x, 3)))
    assertEquals(
      table.iterator.map(r => (r.cells(0), r.label)).toVector,
      values.map(r => (r.cells(0) + 1, r.label.map(c => Corner(c.x, 3))))
    )
  end parts

  test("updateAt and updateAll replace any part of a row in every layout"):
    Region.scoped:
      parts(Rows.from(values))
      parts(PackedRows.from(values))
      parts(Columns.from(values))
      val growing = Rows.growing[Shaped]
      growing.appendAll(values)
      parts(growing)

  test("updateAt of a part of growing columns changes its row alone if the table moves meanwhile"):
    Region.scoped:
      /** A table whose first memory is full. */
      def filled(): GrowingTable[Shaped, Columnar] =
        val table = Columns.growingTo[Shaped](1000)
        table.appendAll(64)(i => shaped(i.toInt))
        table
      def grow(table: GrowingTable[Shaped, Columnar]): Unit =
        for i <- 64 to 70 do table += shaped(i)
      def checkOthers(table: GrowingTable[Shaped, Columnar]): Unit =
        assertEquals(table.drop(1).toVector, Vector.range(1, 71).map(shaped))
      val byElement = filled()
      byElement.updateAt(0)(_.cells(2)): _ =>
        grow(byElement)
        99
      assertEquals(byElement(0).cells(2), 99)
      checkOthers(byElement)
      val byField = filled()
      byField.updateAt(0)(_.corners(1).x): _ =>
        grow(byField)
        98
      assertEquals(byField(0).corners(1), Corner(98, 6))
      checkOthers(byField)
      val byMember = filled()
      byMember.updateAt(0)(_.value.real): _ =>
        grow(byMember)
        2.5
      assertEquals(byMember(0).value.real, 2.5)
      checkOthers(byMember)
      val byIndex = filled()
      def index(): Int =
        grow(byIndex)
        2
      byIndex.updateAt(0)(_.cells(index()))(_ + 40)
      assertEquals(byIndex(0).cells(2), 42)
      checkOthers(byIndex)

  private inline def referred[L <: Layout](ref: Reference[Shaped, L]): Unit =
    ref.update(_.from)(c => Corner(c.x + 1, 7))
    ref.update(_.label)(_ => Some(Corner(1, 2)))
    ref.update(_.style)(_ => Style.Dashed(8, 9))
    ref.update(_.cells(2))(_ + 40)
    ref.update(_.grid(1)(1))(_ => 44)
    ref.update(_.corners(1).y)(_ => 66)
    ref.update(_.value.real)(_ => 2.5)
    val now = ref()
    assertEquals(
      (now.id, now.from, now.label, now.style, now.name),
      (1.toByte, Corner(2, 7), Some(Corner(1, 2)), Style.Dashed(8, 9), Text[6]("abc"))
    )
    assertEquals(
      (now.cells(2), now.grid(1)(1).toInt, now.corners(1), now.value.real),
      (43, 44, Corner(1, 66), 2.5)
    )
    intercept[IndexOutOfBoundsException](ref.update(_.cells(now.cells(2)))(_ + 1)): Unit
    assertEquals(ref(), now)

  test("update through a reference replaces any part of a struct"):
    Region.scoped:
      referred(Rows.from(values).ref(1))
      referred(PackedRows.from(values).ref(1))
      referred(Ref(shaped(1)))

  test(
    "updateAt, updateAll and update replace an element of a tuple, by its name and by its index"
  ):
    Region.scoped:
      val rows = Rows.from(List(Paired(1, (10, 20L)), Paired(2, (30, 40L))))
      val columns = Columns.from(rows)
      rows.updateAt(0)(_.pair(0))(_ + 1)
      rows.updateAt(0)(_.pair._2)(_ + 2)
      rows.updateAll(_.pair(1))(_ * 2)
      rows.ref(1).update(_.pair(0))(_ - 1)
      assertEquals(rows.toVector, Vector(Paired(1, (11, 44L)), Paired(2, (29, 80L))))
      columns.updateAt(1)(_.pair(1))(_ + 5)
      columns.updateAll(_.pair(0))(_ + 1)
      assertEquals(columns.toVector, Vector(Paired(1, (11, 20L)), Paired(2, (31, 45L))))

  test("update through a stale reference throws and changes nothing"):
    val stale = Region.scoped(Rows.from(values).ref(1))
    intercept[StaleReferenceException](stale.update(_.cells(2))(_ + 1)): Unit
    intercept[StaleReferenceException](stale.update(_.label)(_ => None)): Unit

  private inline def throughViews[L <: Layout](table: Table[Shaped, L]): Unit =
    val ids = () => table.map(_.id.toInt).toVector
    table.reverse(0) = shaped(40)
    assertEquals(ids(), Vector(0, 1, 2, 3, 40))
    table.reverse.updateAt(1)(_.id)(_ => 30)
    table.strided(2).transformAt(1)(_.copy(id = 20))
    assertEquals(ids(), Vector(0, 1, 20, 30, 40))
    table.strided(3).updateAll(_.id)(id => (id + 1).toByte)
    assertEquals(ids(), Vector(1, 1, 20, 31, 40))
    table.slice(1, 3).reverse.transform(r => r.copy(id = (r.id + 2).toByte))
    assertEquals(ids(), Vector(1, 3, 22, 31, 40))
    table.reverse.strided(2).fill(shaped(7))
    assertEquals(ids(), Vector(7, 3, 7, 31, 7))
    var order = Vector.empty[Int]
    table.reverse.updateAll(_.id): id =>
      order :+= id.toInt
      id
    assertEquals(order, ids().reverse)
    for index <- List(-1L, 5L) do
      intercept[IndexOutOfBoundsException](table.reverse(index) = shaped(1)): Unit
      intercept[IndexOutOfBoundsException](table.reverse.updateAt(index)(_.id)(i => i)): Unit
    table.slice(2, 2).reverse.fill(shaped(1))
    assertEquals(ids(), Vector(7, 3, 7, 31, 7))
  end throughViews

  test("a store through reverse, strided and slice changes the table's rows"):
    Region.scoped:
      throughViews(Rows.from(values))
      throughViews(PackedRows.from(values))
      throughViews(Columns.from(values))

  test("a part that is computed is a compile error that names the fields"):
    val errors = compileErrors("def f(r: Rows[Shaped]) = r.updateAt(0)(_.id + 1)(_ + 1)")
    assert(errors.contains("an element of an inline array or a member of a union"), errors)
    assert(errors.contains("_.from.x"), errors)

  test("a store of a generic struct that fails in generic code changes nothing"):
    def put[T: Struct](table: Table[T, ?], value: T): Unit = table(1) = value
    Region.scoped:
      val pairs = Vector.fill(3)(Duo(1, Text[3]("abc")))
      for table <- List[Table[Duo[Int, Text[3]], ?]](
          Rows.from(pairs),
          PackedRows.from(pairs),
          Columns.from(pairs)
        )
      do
        val long = "too long".asInstanceOf[Text[3]]
        intercept[IllegalArgumentException](put(table, Duo(2, long))): Unit
        assertEquals(table.iterator.toVector, pairs)
        put(table, Duo(2, Text[3]("xyz")))
        assertEquals(table.iterator.toVector, pairs.updated(1, Duo(2, Text[3]("xyz"))))

  test("a store of a Struct to a segment that is too small changes nothing"):
    def check[T](value: T)(using struct: Struct[T]): Unit =
      def refused(bytes: Long)(store: MemorySegment => Unit): Unit =
        val segment = Arena.ofAuto().allocate(bytes, 8)
        intercept[IndexOutOfBoundsException](store(segment)): Unit
        assertEquals(segment.toArray(ValueLayout.JAVA_BYTE).toVector.distinct, Vector(0.toByte))
      val (size, packed) = (struct.size.toLong, struct.packedSize.toLong)
      refused(size + 4)(struct.storeAligned(_, size, value))
      refused(packed + 4)(struct.storePacked(_, packed, value))
      refused(8)(struct.storeColumns(_, 2, 1, value))
      refused(struct.columnarSize * 2L + 16)(struct.storeColumns(_, 2, 2, value))
      refused(struct.columnarSize * 2L + 16)(struct.storeColumns(_, 2, -1, value))
    check(Corner(7, 8))
    check(Duo(7, Text[3]("abc")))

  test("elements of arrays of structs are read in zipped rows of all layouts"):
    Region.scoped:
      val rows = Rows.from(values)
      val packed = PackedRows.from(values)
      val columns = Columns.from(values)
      val expected =
        values.map(shape => shape.corners(1).x + 10 * shape.corners(1).y + shape.corners(0).y)
      assertEquals(
        packed.zip(packed).map((a, b) => a.corners(1).x + 10 * b.corners(1).y + b.corners(0).y)
          .toVector,
        expected
      )
      assertEquals(
        packed.zip(rows).map((a, b) => a.corners(1).x + 10 * b.corners(1).y + a.corners(0).y)
          .toVector,
        expected
      )
      assertEquals(
        columns.zip(packed).map((a, b) => a.corners(1).x + 10 * b.corners(1).y + b.corners(0).y)
          .toVector,
        expected
      )

  test("the offset of a field is the offset in its layout"):
    val leaves = Struct[Shaped].leaves
    def leaf(path: String*) = leaves.find(_.path == path.toList).get
    assertEquals(Struct.offsetOf[Shaped](_.id), 0L)
    assertEquals(Struct.offsetOf[Shaped](_.from.y), leaf("from", "y").aligned.toLong)
    assertEquals(Struct.offsetOf[Shaped](_.label), leaf("label", "isDefined").aligned.toLong)
    assertEquals(Struct.packedOffsetOf[Shaped](_.name), leaf("name").packed.toLong)
    assert(Struct.offsetOf[Shaped](_.name) > Struct.packedOffsetOf[Shaped](_.name))
    val errors = compileErrors("Struct.offsetOf[Shaped](_.id + 1)")
    assert(errors.contains("an offset is of a field, written as `_.field`"), errors)
    val unknown = compileErrors("def f[T: Struct](g: T => Int) = Struct.offsetOf[T](g)")
    assert(unknown.contains("make the method around it inline"), unknown)

  test("the arguments of a copy in a copy are evaluated in their order, and once"):
    Region.scoped:
      val rows = Rows.from(values)
      val log = StringBuilder()
      def noted[A](name: String, value: A): A =
        log ++= name
        value
      rows.transformAt(1): shape =>
        shape.copy(
          from = shape.from.copy(x = noted("x", 4)),
          id = noted("i", 8.toByte)
        )
      assertEquals(rows(1), shaped(1).copy(from = Corner(4, 1), id = 8))
      rows.transformAt(2): shape =>
        shape.copy(
          id = noted("i", 9.toByte),
          from = shape.from.copy(y = noted("y", 3.toShort), x = noted("x", shape.from.x + 1)),
          style = noted("s", Style.Plain)
        )
      assertEquals(rows(2), shaped(2).copy(id = 9, from = Corner(3, 3), style = Style.Plain))
      assertEquals(log.result(), "xiiyxs")
end PartUpdateTest
