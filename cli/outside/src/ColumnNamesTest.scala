package outside.cli

import java.nio.file.Path
import java.util.Locale

/** Columns whose names mean something else in the SQL of a command. */
class ColumnNamesTest extends CliSuite:

  private val rows = List("5,10", "6,20", "7,30")

  for name <- Seq("rowid", "RowId", "c1", "t", "source") do
    inFolder(s"a column $name keeps its values in a struct file"): folder =>
      write(folder, "r.csv", (s"$name,c0" +: rows)*)
      done(run(folder)("convert", "./r.csv", "./r.rows"))
      val printed = done(run(folder)("head", "./r.rows", "--csv")).lines
      assertEquals(printed, s"$name,c0" +: rows)

  inFolder("a text column rowid keeps its values, and an error names its row"): folder =>
    write(folder, "r.csv", "rowid,v", "a,1", "b,2")
    done(run(folder)("convert", "./r.csv", "./r.rows"))
    assertEquals(done(run(folder)("head", "./r.rows", "--csv")).lines.tail, List("a,1", "b,2"))
    val infinite = "select * from (values (7, date '2026-01-01'), (8, 'infinity')) t(rowid, day)"
    done(run(folder)("sql", s"copy ($infinite) to '${folder.resolve("i.parquet")}'"))
    val outcome = run(folder)("convert", "./i.parquet", "./i.rows")
    assertEquals(outcome.code, 2)
    assert(outcome.err.contains("row 1 of column 'day'"), outcome.err)

  inFolder("names that differ in the case of an I only are told apart in every locale"): folder =>
    val before = Locale.getDefault
    Locale.setDefault(Locale.of("tr", "TR")) // Turkish has another lower case of I
    try
      write(folder, "r.csv", "ID,id", "1,2")
      done(run(folder)("convert", "./r.csv", "./r.rows"))
      assertEquals(done(run(folder)("head", "./r.rows", "--csv")).lines, List("ID,id_1", "1,2"))
    finally Locale.setDefault(before)

  for names <- Seq("a,b,c", "B,A,c", "a,x,c", "y,b,c") do
    inFolder(s"diff compares all columns of $names"): folder =>
      write(folder, "left.csv", names, "1,1,10", "2,2,20")
      write(folder, "right.csv", names, "1,1,10", "2,2,99")
      write(folder, "unlike.csv", names, "1,5,10")
      val outcome = run(folder)("diff", "./left.csv", "./right.csv")
      assertEquals((outcome.code, outcome.err, outcome.lines.size), (1, "", 3))
      assert(outcome.out.contains("20") && outcome.out.contains("99"), outcome.out)
      assertEquals(run(folder)("diff", "./unlike.csv", "./unlike.csv"), Outcome(0, "", ""))

  inFolder("diff compares a column a that is a STRUCT, and names with quotes"): folder =>
    def copy(value: Int): String =
      s"copy (select {'b': 1, 'q': 2} as a, $value as \"a \"\"b\") to "
    for (name, value) <- Seq("l" -> 1, "r" -> 2) do
      done(run(folder)("sql", s"${copy(value)}'${folder.resolve(s"$name.parquet")}'"))
    assertEquals(run(folder)("diff", "./l.parquet", "./r.parquet").code, 1)
    assertEquals(run(folder)("diff", "./l.parquet", "./l.parquet"), Outcome(0, "", ""))
end ColumnNamesTest
