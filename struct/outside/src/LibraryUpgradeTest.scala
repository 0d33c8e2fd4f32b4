package outside.struct

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** A library is recompiled with another layout of one of its types, and the application that uses
  * it is not: the application has the old sizes and offsets as constants.
  */
class LibraryUpgradeTest extends undercroft.tools.Suite:
  private val shared =
    """  def rows(using Allocator): Rows[Rec] =
      |    val made = Rows[Rec](10)
      |    for i <- 0 until 10 do made(i) = one(i)
      |    made
      |  def columns(using Allocator): Columns[Rec] =
      |    val made = Columns[Rec](10)
      |    for i <- 0 until 10 do made(i) = one(i)
      |    made
      |  def ref(using Allocator): Ref[Rec] = Ref(one(1))
      |  def map(using Allocator): StructMap[Int, Rec] =
      |    val made = StructMap[Int, Rec]()
      |    made(1) = one(1)
      |    made
      |""".stripMargin

  private def library(fields: String, values: String): String =
    s"""package lib
       |import undercroft.memory.*
       |import undercroft.struct.*
       |case class Rec($fields) derives Struct
       |object Rec:
       |  def one(i: Int): Rec = Rec($values)
       |$shared""".stripMargin

  private val first = library(
    "id: Int, qty: Int, px: Double, note: Text[40]",
    """i, 2, 3.0, Text("n")"""
  )

  private val application =
    """package app
      |import undercroft.memory.*
      |import undercroft.struct.*
      |import lib.Rec
      |case class Canary(value: Long) derives Struct
      |object App:
      |  private def door(name: String)(code: => Any): Unit =
      |    val result =
      |      try { val _ = code; "ok" }
      |      catch case error: Throwable => s"${error.getClass.getSimpleName} ${error.getMessage}"
      |    println(s"$name: $result")
      |  def main(args: Array[String]): Unit =
      |    val other = Region.shared("other")
      |    Region.scoped:
      |      val growing = Rows.growingTo[Rec](2000)
      |      val canaries = Rows.tabulate[Canary](30000)(_ => Canary(7))(using other)
      |      for i <- 0 until 1999 do try growing += Rec.one(i) catch case _: (RuntimeException | LinkageError) => ()
      |      val rows = Rec.rows
      |      val columns = Rec.columns
      |      val ref = Rec.ref
      |      val map = Rec.map
      |      door("append")(growing += Rec.one(1))
      |      door("appendAll")(Rows.growing[Rec].appendAll(100)(i => Rec.one(i.toInt)))
      |      door("tabulate")(Rows.tabulate[Rec](100)(i => Rec.one(i.toInt)))
      |      door("row")(rows(9).qty)
      |      door("store")(rows(9) = Rec.one(3))
      |      door("update")(rows.updateAt(9)(_.qty)(_ + 1))
      |      door("loop")(rows.sumOf(_.qty))
      |      door("sort")(rows.sortBy(_.px))
      |      door("group")(rows.groupBy(_.id))
      |      door("parallel")(rows.parAggregate(0L)((sum, rec) => sum + rec.qty)(_ + _))
      |      door("column row")(columns(9).qty)
      |      door("column loop")(columns.sumOf(_.qty))
      |      door("column segment")(columns.column(_.qty))
      |      door("row ref")(rows.ref(9).px)
      |      door("new ref")(Ref(Rec.one(3)))
      |      door("zeroed ref")(Ref.zeroed[Rec])
      |      door("ref field")(ref.px)
      |      door("ref whole")(ref())
      |      door("ref store")(ref.px = 3.5)
      |      door("new map")(StructMap[Int, Rec]())
      |      door("map get")(map(1).qty)
      |      door("map put")(map(2) = Rec.one(2))
      |      println(s"broken canaries: ${canaries.count(_.value != 7)}")
      |""".stripMargin

  /** Compiles sources as a user would. */
  private def compile(to: Path, libraries: List[Path], sources: String*): Unit =
    val named = sources.zipWithIndex.map((source, k) => s"Source$k" -> source)
    val messages = UserCompiler.compile(to, named, libraries = libraries)
    assertEquals(UserCompiler.errors(messages), Nil)

  /** The exit code and the output lines of the application run with a library. */
  private def run(folder: Path, libraries: List[Path]): (Int, List[String]) =
    val out = folder.resolve("out.txt")
    val command = List(
      "-Xmx512m",
      s"-XX:ErrorFile=$folder/hs_err.log",
      "--enable-native-access=ALL-UNNAMED",
      "-cp",
      (libraries.map(_.toString) :+ System.getProperty("java.class.path"))
        .mkString(java.io.File.pathSeparator),
      "app.App"
    )
    val process =
      undercroft.tools.ChildJvm.builder(command*).redirectErrorStream(true)
        .redirectOutput(out.toFile).start()
    if !process.waitFor(300, TimeUnit.SECONDS) then
      process.destroyForcibly(): Unit
      fail("the application did not end within 300 s")
    val lines = Files.readString(out).linesIterator.toList
    (process.exitValue, lines)

  private val folder = UserCompiler.newFolder()

  private lazy val compiled: Path =
    compile(folder.resolve("lib1"), Nil, first)
    compile(folder.resolve("app"), List(folder.resolve("lib1")), application)
    folder

  override def afterAll(): Unit = UserCompiler.delete(folder)

  test("an application runs with the library version that it was compiled with".tag(LongTest)):
    val (exit, lines) =
      run(compiled, List(compiled.resolve("lib1"), compiled.resolve("app")))
    assertEquals(exit, 0, lines)
    assertEquals(lines.filterNot(_.endsWith(": ok")), List("broken canaries: 0"))
    assertEquals(lines.size, 23)

  /** Asserts that every use rejects the library, and names the type and the field; returns how many
    * uses the JVM rejected.
    */
  private def refuses(name: String, fields: String, values: String, field: String): Int =
    val to = compiled.resolve(name)
    compile(to, Nil, library(fields, values))
    val (exit, lines) = run(compiled, List(to, compiled.resolve("app")))
    assertEquals(exit, 0, lines)
    assertEquals(lines.size, 23, lines)
    assertEquals(lines.last, "broken canaries: 0")
    // The accessor of a removed field is a linkage error of the JVM, if it is called first.
    val (unlinked, mismatches) = lines.init.partition(_.contains(": NoSuchMethodError"))
    for line <- mismatches do
      assert(line.contains(": LayoutMismatchException"), line)
      assert(line.contains(s"field `$field`") || line.contains(s".$field`"), line)
    assert(mismatches.nonEmpty)
    unlinked.size

  test("every use of a struct whose fields a library upgrade reordered throws".tag(LongTest)):
    val unlinked = refuses(
      "reordered",
      "qty: Int, id: Int, note: Text[40], px: Double",
      """2, i, Text("n"), 3.0""",
      "id"
    )
    assertEquals(unlinked, 0)

  test("every use of a struct from which a library upgrade removed a field throws".tag(LongTest)):
    val unlinked = refuses("removed", "id: Int, qty: Int, px: Double", "i, 2, 3.0", "note")
    assert(unlinked < 10, unlinked)

  test("every use of a struct whose field a library upgrade shortened throws".tag(LongTest)):
    val unlinked = refuses(
      "shortened",
      "id: Int, qty: Int, px: Double, note: Text[1]",
      """i, 2, 3.0, Text("n")""",
      "note"
    )
    assertEquals(unlinked, 0)

  test("every use of a struct to which a library upgrade added a field throws".tag(LongTest)):
    val unlinked = refuses(
      "added",
      "id: Int, qty: Int, px: Double, note: Text[40], more: Long",
      """i, 2, 3.0, Text("n"), 4L""",
      "more"
    )
    assertEquals(unlinked, 0)
end LibraryUpgradeTest
