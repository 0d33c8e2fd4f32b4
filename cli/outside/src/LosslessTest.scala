package outside.cli

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import undercroft.file.*
import undercroft.struct.*

final case class Cells(id: Int, cells: InlineArray[Option[Int], 2]) derives Struct
final case class Box(width: Int, height: Option[Int]) derives Struct, CanEqual
final case class Boxes(id: Int, boxes: InlineArray[Box, 2], cells: InlineArray[Option[Int], 2])
    derives Struct,
      CanEqual

/** A conversion keeps each row and each digit, or names the place that it cannot keep. */
class LosslessTest extends CliSuite:

  private def converted(folder: Path, name: String, text: String, options: String*): String =
    Files.writeString(folder.resolve(name), text)
    done(run(folder)(Seq("convert", s"./$name", "./t.cols", "--overwrite") ++ options*))
    done(run(folder)("head", "./t.cols", "--csv")).out

  private def refused(folder: Path, name: String, text: String, options: String*): String =
    Files.writeString(folder.resolve(name), text)
    val outcome = run(folder)(Seq("convert", s"./$name", "./t.cols", "--overwrite") ++ options*)
    assertEquals((outcome.code, outcome.out), (2, ""))
    outcome.err

  for
    (content, rows) <- Seq(
      "c0\nv0\na;b\n" -> "c0\nv0\na;b\n",
      "1,2\n3,4\n" -> "column0,column1\n1,2\n3,4\n",
      "a;b\n1,5;2\n" -> "a,b\n\"1,5\",2\n",
      "a,b\n#1,2\n3,4\n" -> "a,b\n#1,2\n3,4\n",
      "n\n9007199254740993\n2.5\n" -> "n\n9007199254740993\n2.5\n",
      "n\n0.12345678901234567890\n" -> "n\n0.12345678901234567890\n",
      "n\n99999999999999999999\n1\n" -> "n\n99999999999999999999\n1\n",
      "99999999999999999999\n1\n" -> "column0\n99999999999999999999\n1\n",
      "n\n007\n12\n" -> "n\n007\n12\n",
      "n\n1e-400\n1.5\n" -> "n\n1e-400\n1.5\n",
      "n\n1e400\n1e5\n" -> "n\n1e400\n1e5\n",
      "n\n-0\n1\n" -> "n\n-0\n1\n",
      "n\n1.000000000000000056e-01\n2.5\n" -> "n\n0.1\n2.5\n",
      "sex\nF\nT\n" -> "sex\nF\nT\n",
      "d\n01/02/2020\n" -> "d\n01/02/2020\n",
      "t\n2020-01-01 00:00:00.123456789\n2020-01-02 00:00:00\n" ->
        "t\n2020-01-01 00:00:00.123456789\n2020-01-02 00:00:00\n",
      // A column of nanoseconds has the years 1677 to 2262.
      "t\n2020-01-01 00:00:00.123456789\n1677-09-21 00:12:43\n" ->
        "t\n2020-01-01 00:00:00.123456789\n1677-09-21 00:12:43\n",
      "t\n2020-01-01T00:00:00.123456789Z\n9999-12-31T23:59:59Z\n" ->
        "t\n2020-01-01T00:00:00.123456789Z\n9999-12-31T23:59:59Z\n"
    )
  do
    inFolder(s"a CSV file keeps its rows and digits: ${content.replace("\n", " ")}"): folder =>
      assertEquals(converted(folder, "t.csv", content), rows)
  end for

  inFolder("a fraction behind 30 000 whole numbers of a CSV file is kept, also by SQL"): folder =>
    val text = "n,m\n" + "1,2\n" * 30000 + "1.5,3\n"
    converted(folder, "late.csv", text): Unit
    for table <- Seq("t=./t.cols", "t=./late.csv") do
      val found = done(run(folder)("sql", "select max(n) m, count(*) c from t", table, "--csv"))
      assertEquals(found.out, "m,c\n1.5,30001\n")

  for
    (content, message) <- Seq(
      "a,b\n1,x\n2,x,y\n" -> "t.csv: line 3 has 3 fields, but the first record has 2: 2,x,y",
      "a,b\n1\n" -> "t.csv: line 2 has 1 fields, but the first record has 2: 1",
      "# title\n\na,b\n1,2\n" -> "t.csv: line 3 has 2 fields, but the first record has 1: a,b",
      "a,b\n1,\"2\n" -> "t.csv: line 2 cannot be read",
      "" -> "t.csv has no record",
      "\n\n" -> "t.csv has no record"
    )
  do
    inFolder(s"a CSV file that would lose a line is refused: ${content.replace("\n", " ")}"):
      folder =>
        val error = refused(folder, "t.csv", content)
        assert(error.contains(message), error)
        assertEquals(names(folder), Set("t.csv"))

  inFolder("options state the format and the types of a CSV file"): folder =>
    assertEquals(
      converted(folder, "t.csv", "title\na:b\n'1:2':3\n", "--skip=1", "--delimiter=:", "--quote='"),
      "a,b\n1:2,3\n"
    )
    assertEquals(
      converted(folder, "t.csv", "a,b\n1,2\n", "--header=no"),
      "column0,column1\na,b\n1,2\n"
    )
    assertEquals(
      converted(folder, "t.csv", "p,q\n0.10000000000000000001,1\n", "--types=p=DOUBLE,q=VARCHAR"),
      "p,q\n0.1,1\n"
    )
    assert(refused(folder, "t.csv", "p\n1\n", "--types=x=DOUBLE").contains("--types names x"))
    assert(refused(folder, "t.json", "[]", "--skip=1").contains("are for a CSV file"))
    assert(refused(folder, "t.csv", "p\n1\n", "--header=maybe").contains("must be yes or no"))

  inFolder("a conversion copies the columns that are named"): folder =>
    val text = "p,q,r\n5,1,x\n"
    assertEquals(converted(folder, "t.csv", text, "--columns", "r,q"), "r,q\nx,1\n")
    for target <- Seq("u.json", "u.arrow", "u.parquet") do
      done(run(folder)("convert", "./t.csv", s"./$target", "--columns", "q"))
      assertEquals(done(run(folder)("head", s"./$target", "--csv")).out, "q\n1\n", target)
    assert(refused(folder, "t.csv", text, "--columns", "z").contains("its columns are p, q, r"))

  for
    (content, rows) <- Seq(
      """[{"a": 1}, {"a": "x"}]""" -> "a\n1\nx\n",
      """[{"n": 9007199254740993}, {"n": 2.5}]""" -> "n\n9007199254740993\n2.5\n",
      """[{"n": 277447099861456945273576150847928801582}, {"n": 1}]""" ->
        "n\n277447099861456945273576150847928801582\n1\n",
      """[{"n": 18446744073709551615}]""" -> "n\n18446744073709551615\n",
      """[{"n": 0.1}, {"n": 0.30000000000000004}]""" -> "n\n0.1\n0.30000000000000004\n",
      """[{"t": "2020-01-01T00:00:00.123456789Z"}]""" -> "t\n2020-01-01T00:00:00.123456789Z\n",
      """[{"t": "2020-01-01"}, {"t": "2020-01-02"}]""" -> "t\n2020-01-01\n2020-01-02\n",
      """[{"s": {"x": 1}}, {"s": {"x": "u"}}]""" -> "s\n{'x': 1}\n{'x': u}\n"
    )
  do
    inFolder(s"a JSON file keeps its texts and digits: $content"): folder =>
      assertEquals(converted(folder, "t.json", content), rows)

  inFolder("a JSON number that no column keeps is refused with its row and column"): folder =>
    val deep = """[{"s": {"n": 1.5}}, {"s": {"n": 0.12345678901234567890}}]"""
    val error = refused(folder, "t.json", deep)
    assert(error.contains("row 1 of column 's.n' has the number 0.12345678901234567890"), error)
    assert(refused(folder, "t.json", """[{"n": 1e400}]""").contains("1e400"))
    assert(refused(folder, "t.json", "[]").contains("t.json has no record"))

  private val values =
    "select {'b': 1, 'c': 'x', 'n': 'nan'::double} as s, [1, 2] as l, -0.0::double as z, " +
      "1.50::decimal(5, 2) as d, 'infinity'::double as i, map {'k': 0.1::float} as m"

  inFolder("--json and a JSON file have objects, arrays and numbers of RFC 8259"): folder =>
    val row =
      """{"s":{"b":1,"c":"x","n":"NaN"},"l":[1,2],"z":-0.0,"d":1.50,"i":"Infinity","m":{"k":0.1}}"""
    assertEquals(done(run(folder)("sql", values, "--json")).out, s"[$row]\n")
    val script = s"create table t as $values; select s, l from t;"
    val parts = """[{"s":{"b":1,"c":"x","n":"NaN"},"l":[1,2]}]"""
    assertEquals(done(run(folder)("sql", script, "--json")).out, s"$parts\n")
    done(run(folder)("sql", s"copy ($values) to '${folder.resolve("v.parquet")}'"))
    assertEquals(done(run(folder)("head", "./v.parquet", "--json")).out, s"[$row]\n")
    done(run(folder)("convert", "./v.parquet", "./v.jsonl"))
    val written = Files.readString(folder.resolve("v.jsonl"))
    assertEquals(written.replace("\"d\":1.5,", "\"d\":1.50,"), s"$row\n")

  inFolder("a struct file with arrays of Options is laid out anew"): folder =>
    val file = Rows.create[Cells](folder.resolve("cells.rows"))
    file += Cells(1, InlineArray(Some(1), None))
    file += Cells(2, InlineArray(None, Some(-2)))
    val rows = file.toVector
    file.seal()
    file.close()
    done(run(folder)("convert", "./cells.rows", "./cells.cols", "--name", "Cells"))
    val copy = Columns.openReadOnly[Cells](folder.resolve("cells.cols"))
    try assertEquals(copy.toVector, rows)
    finally copy.close()

  inFolder("a compressed file with arrays is decompressed, and laid out anew"): folder =>
    val rows = Vector.tabulate(5000): i =>
      Boxes(i, InlineArray(Box(i, Some(-i)), Box(i + 1, None)), InlineArray(None, Some(i)))
    val file = Rows.create[Boxes](folder.resolve("boxes.rows"))
    file.appendAll(rows)
    file.seal()
    file.close()
    compressFile(folder.resolve("boxes.rows"), folder.resolve("boxes.zst"))
    done(run(folder)("convert", "./boxes.zst", "./copy.rows", "--layout", "rows"))
    assertEquals(Files.mismatch(folder.resolve("boxes.rows"), folder.resolve("copy.rows")), -1L)
    done(run(folder)("convert", "./boxes.zst", "./boxes.cols", "--name", "Boxes"))
    compressFile(folder.resolve("boxes.cols"), folder.resolve("cols.zst"))
    done(run(folder)("convert", "./cols.zst", "./again.rows", "--layout", "rows"))
    done(run(folder)("convert", "./cols.zst", "./boxes.packed", "--layout", "packed"))
    for (name, open) <- Seq[(String, Path => FileTable[Boxes, ? <: Layout])](
        "boxes.cols" -> (Columns.openReadOnly[Boxes](_)),
        "again.rows" -> (Rows.openReadOnly[Boxes](_)),
        "boxes.packed" -> (PackedRows.openReadOnly[Boxes](_))
      )
    do
      val copy = open(folder.resolve(name))
      try assertEquals(copy.toVector, rows, name)
      finally copy.close()

  for name <- Seq("t.xlsx", "t.pq", "t.orc", "t.avro", "t.json.gz", "t.CSV.ZST", "t.txt") do
    inFolder(s"the ending of another format is refused with the known ones: $name"): folder =>
      write(folder, "t.csv", "a", "1")
      val outcome = run(folder)("convert", "./t.csv", s"./$name")
      assertEquals(outcome.code, 2)
      assert(outcome.err.contains("is not written; the formats are CSV: .csv"), outcome.err)
      assertEquals(names(folder), Set("t.csv"))

  inFolder("--version prints the versions of the command and of the format"): folder =>
    val out = done(run(folder)("--version")).out
    assert(out.matches("undercroft [0-9.]+(-SNAPSHOT)?, struct file format \\d+\n"), out)

  private def withInput[A](bytes: Array[Byte])(body: => A): A =
    val before = System.in
    System.setIn(ByteArrayInputStream(bytes))
    try body
    finally System.setIn(before)

  inFolder("the file - is standard input, in every format"): folder =>
    Files.writeString(folder.resolve("t.csv"), "a,b\n1,x\n")
    val formats = Seq("t.csv", "t.json", "t.jsonl", "t.csv.gz", "t.parquet", "t.arrow", "t.rows")
    for name <- formats do
      if name != "t.csv" then done(run(folder)("convert", "./t.csv", s"./$name"))
      val bytes = Files.readAllBytes(folder.resolve(name))
      val query = Seq("sql", "select b, a from stdin", "-", "--csv")
      assertEquals(withInput(bytes)(done(run(folder)(query*))).out, "b,a\nx,1\n", name)
    val text = "a\n2\n".getBytes(UTF_8).nn
    withInput(text)(done(run(folder)("convert", "-", "./in.rows")))
    assertEquals(done(run(folder)("head", "./in.rows", "--csv")).out, "a\n2\n")
    val twice = run(folder)("diff", "-", "-")
    assertEquals((twice.code, twice.err.contains("is read only once")), (2, true))

  inFolder("a table has the letters of its file's name in every language"): folder =>
    write(folder, "ä.csv", "a", "1")
    assertEquals(
      done(run(folder)("sql", "select a from ä", s"$folder/ä.csv", "--csv")).out,
      "a\n1\n"
    )
    val unknown = run(folder)("head", s"$folder/ä.csv", "--columns", "b")
    assertEquals(unknown.err, "undercroft: ./ä.csv has no column b; its columns are a\n")

  inFolder("a named pipe is refused without waiting for its writer"): folder =>
    val made = ProcessBuilder("mkfifo", s"$folder/p.csv").start().waitFor
    assume(made == 0, "skipped: this system has no mkfifo")
    val outcome = run(folder)("head", "./p.csv")
    assertEquals(outcome.code, 2)
    assert(outcome.err.contains("p.csv is no regular file"), outcome.err)
end LosslessTest
