package outside.struct

import java.net.{URL, URLClassLoader}

/** A program that uses most of the generated code, compiled with all warnings as errors and a check
  * of the code that macros return, and run.
  */
class StrictFlagsTest extends undercroft.tools.Suite:

  private val flags = Seq("-Wall", "-Werror", "-Xcheck-macros", "-deprecation", "-feature")

  private val program =
    """package strict
      |import undercroft.memory.*
      |import undercroft.struct.*
      |
      |enum Color derives CanEqual:
      |  case Red, Green
      |
      |case class Point(x: Int, y: Long) derives Struct
      |case class Wide(
      |    name: Text[8],
      |    a: Int,
      |    b: Long,
      |    c: Short,
      |    d: Byte,
      |    e: Double,
      |    color: Color,
      |    at: Point,
      |    best: Option[Int],
      |    cells: InlineArray[Int, 2]
      |) derives Struct
      |
      |def wide(i: Long): Wide =
      |  val color = if i % 2 == 0 then Color.Red else Color.Green
      |  val cells = InlineArray[Int, 2](i.toInt, 1)
      |  Wide(Text[8](s"n$i"), i.toInt, i * 2, 3, 4, 0.5, color, Point(1, i), Some(i.toInt), cells)
      |
      |class Uses(log: StringBuilder):
      |  private def note(value: Any): Unit =
      |    val _ = log.append(value.toString).append(' ')
      |
      |  // The class is local and the method has no result type.
      |  def ofLocalClass() =
      |    case class Local(x: Int, y: Long) derives Struct
      |    Region.scoped:
      |      val one = Ref(Local(1, 2))
      |      val rows = Rows.tabulate(3)(i => Local(i.toInt, i))
      |      one.x = 3
      |      one.update(_.y)(_ + 4)
      |      one.x + rows.ref(2).x + rows.row(1).x + one.y
      |
      |  def ofRows(rows: Table[Wide, Aligned], columns: Table[Wide, Columnar])(
      |      using Allocator
      |  ): Unit =
      |    note(rows.row(1).a + rows.row(2).b)
      |    note(rows.row(1).name.string)
      |    note(rows.row(2).best)
      |    note(rows.row(2).cells(0))
      |    note(rows.ref(1).at.y)
      |    note(rows.sumOf(_.b))
      |    note(columns.sumOf(_.a))
      |    note(columns.map(_.at.y).sum)
      |    note(rows.filter(_.color == Color.Green).map(_.a).max)
      |    note(columns.map(_.a).reduce((a, b) => a.max(b)))
      |    note(rows.foldLeft(0L)((sum, row) => sum + row.b))
      |    note(rows.map(row => row.color match { case Color.Red => 1; case Color.Green => row.a }).sum)
      |    note(rows.exists(_.a == 3))
      |    note(rows.indexWhere(_.name == Text[8]("n5")))
      |    note(rows.strided(2).map(_.a).sum)
      |    note(rows.zip(columns).map((left, right) => left.a + right.a).sum)
      |    note(rows.groupBy(row => (row.color, row.d)).size)
      |    note(rows.minBy(_.e).a)
      |    note(rows.last.a)
      |    rows.updateAll(_.cells(1))(_ + 1)
      |    rows.updateAll(_.at.x)(_ + 1)
      |    rows.transform(row => row.copy(a = row.a + 1, at = row.at.copy(y = row.at.y * 2)))
      |    columns.transformAt(1)(row => row.copy(b = row.b + 1))
      |    columns.setFrom(rows)(row => row)
      |    note(columns(3))
      |    note(rows.binarySearchBy(_.a)(4))
      |
      |  def ofMaps()(using Allocator): Unit =
      |    val map = StructMap[Int, Point]()
      |    for i <- 1 to 10 do map(i) = Point(i, i)
      |    note(map(3).y)
      |    note(map.get(11))
      |    var sum = 0
      |    map.foreach((key, point) => sum += key + point.x)
      |    note(sum)
      |    note(map.remove(4))
      |
      |  def ofGrowing()(using Allocator): Unit =
      |    val rows = Rows.growing[Wide]
      |    rows += wide(1)
      |    rows.appendAll(3)(i => wide(i))
      |    rows.appending(5)(out => for i <- 1 to 5 do out += wide(i.toLong))
      |    note(rows.size)
      |    note(rows.map(_.a).sum)
      |
      |object Main:
      |  def run(): String =
      |    val log = StringBuilder()
      |    val uses = Uses(log)
      |    Region.scoped:
      |      val rows = Rows.tabulate(6)(wide)
      |      val columns = Columns.tabulate(6)(wide)
      |      uses.ofRows(rows, columns)
      |      uses.ofMaps()
      |      uses.ofGrowing()
      |    log.append(uses.ofLocalClass()).toString
      |""".stripMargin

  private val expected =
    "5 n1 Some(2) 2 1 30 15 15 5 5 30 12 true 5 6 30 2 0 5 " +
      "Wide(n3,4,6,3,4,0.5,Green,Point(2,6),Some(3),InlineArray(3, 2)) 3 3 None 110 true 9 19 12"

  test("a program compiles with all warnings as errors and checked macros, and runs".tag(LongTest)):
    UserCompiler.inFolder: folder =>
      val messages = UserCompiler.compile(folder, Seq("Strict" -> program), flags)
      assertEquals(messages, Nil)
      val loader = URLClassLoader(Array[URL](folder.toUri.toURL), getClass.getClassLoader)
      val result = loader.loadClass("strict.Main").getMethod("run").invoke(null)
      assertEquals(result, expected)
end StrictFlagsTest
