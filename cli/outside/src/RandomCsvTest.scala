package outside.cli

import java.nio.file.{Files, Path}
import undercroft.duckdb.DuckDb
import undercroft.file.format.StructFile

/** Random CSV files, each by its seed: `convert` keeps the rows that DuckDB reads as texts, or
  * refuses a file that DuckDB refuses.
  */
class RandomCsvTest extends CliSuite:

  private def testSeeds(seeds: Int, tags: munit.Tag*): Unit =
    val title = munit.TestOptions(s"$seeds random CSV files are converted or refused as by DuckDB")
    inFolder(tags.foldLeft(title)(_.tag(_))): folder =>
      val database = DuckDb()
      try
        val kept = (0 until seeds).count(seed => isKept(database, folder, seed))
        assert(kept > seeds / 2 && kept < seeds, s"$kept of $seeds files were converted")
      finally database.close()

  testSeeds(45)
  testSeeds(5000, LongTest)

  private def isKept(database: DuckDb, folder: Path, seed: Int): Boolean =
    val csv = RandomCsv(seed)
    val file = folder.resolve(csv.name)
    Files.write(file, csv.bytes)
    try
      val words = Seq("convert", s"./${csv.name}", "./t.cols", "--overwrite") ++ csv.options
      val outcome = run(folder)(words*)
      def clue = s"seed $seed, ${words.mkString(" ")}: ${outcome.err}"
      assert(Set(0, 2).contains(outcome.code) && outcome.out.isEmpty, clue)
      val rows = texts(database, file, csv)
      if outcome.code == 0 then
        assert(rows.isDefined, s"$clue: DuckDB refuses it")
        assertSame(database, folder.resolve("t.cols"), csv, clue)
      else if rows.exists(_ > 0) then
        assert(RandomCsvTest.Refusals.exists(outcome.err.contains), s"$clue: DuckDB reads it")
      outcome.code == 0
    finally Files.delete(file)
  end isKept

  /** Makes the texts of a file the table `texts`; returns its rows. */
  private def texts(database: DuckDb, file: Path, csv: RandomCsv): Option[Long] =
    def text(char: Char) = if char == '\'' then "''''" else s"'$char'"
    val columns = Seq.tabulate(csv.columns)(i => s"t$i: 'VARCHAR'").mkString("{", ", ", "}")
    try
      database.query(
        s"create or replace table texts as from read_csv('$file', auto_detect = false, " +
          s"columns = $columns, delim = ${text(csv.delimiter)}, quote = ${text(csv.quote)}, " +
          s"escape = ${text(csv.quote)}, header = ${csv.hasHeader}, skip = ${csv.skip}, " +
          "nullstr = '', allow_quoted_nulls = false, strict_mode = true)"
      )
      Some(database.query("select count(*) from texts")(0, 0).long)
    catch case _: undercroft.duckdb.DuckDbException => None

  /** Each value equals its text, cast to the type of its column. */
  private def assertSame(database: DuckDb, cols: Path, csv: RandomCsv, clue: => String): Unit =
    val rows = StructFile.open(cols)
    try
      database.register("kept", rows)
      val types = database.query("describe from kept").rows.map(row => (row(0).show, row(1).show))
      assertEquals(types.size, csv.columns, clue)
      val expected = types.zipWithIndex.map:
        case ((_, "VARCHAR"), i) => s"t$i"
        case ((_, sqlType), i)   => s"cast(nullif(trim(t$i), '') as $sqlType)"
      def numbered(table: String, values: Seq[String]) =
        s"(select row_number() over () n, ${values.mkString(", ")} from $table)"
      val actual = numbered("kept", types.map((name, _) => s"\"$name\""))
      val listed = numbered("texts", expected)
      val wrong =
        database.query(s"($actual except all $listed) union all ($listed except all $actual)")
      assert(wrong.rows.isEmpty, s"$clue: $types ${wrong.rows.take(4)}")
    finally rows.close()
  end assertSame
end RandomCsvTest

object RandomCsvTest:
  /** Reasons of `convert` for rows that DuckDB reads. */
  private val Refusals =
    Seq("U+0000", "the skipped line", "at most 1048576 are stored", "has no record")
end RandomCsvTest
