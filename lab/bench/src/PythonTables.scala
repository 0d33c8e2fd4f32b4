package undercroft.lab.bench

// How long does Python take to read a whole table from a struct file, beside the same from Parquet?

import java.io.{BufferedReader, PrintStream}
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.cli.Main
import undercroft.duckdb.DuckDb

/** Files of `rows` rows in the page cache. One Python reads them, which has imported the libraries.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 9)
class PythonTables extends Measured:
  @Param(Array("1000000")) var rows = 0
  @Param(Array("pandas", "arrow", "polars")) var library = ""

  private var parquetFile = Path.of("").nn
  private var python: Option[PythonTables.Python] = None

  @Setup def make(): Unit =
    parquetFile = LabFiles.path("sold.parquet")
    val file = parquetFile.resolveSibling("sold.cols").nn
    val database = DuckDb()
    try
      database.query(
        "copy (select i as ticket, i * 7919 % 100000 as price, i % 3 = 0 as buy, " +
          s"'name' || i * 31 % 10000 as name from range($rows) t(i)) to '$parquetFile'"
      ): Unit
    finally database.close()
    val words = Seq("convert", parquetFile.toString, file.toString)
    val silent = PrintStream(java.io.OutputStream.nullOutputStream)
    val code = Main.run(words, silent, System.err.nn)
    if code != 0 then throw IllegalStateException(s"convert ended with $code")
    python = Some(PythonTables.Python(file, parquetFile))

  @TearDown def close(): Unit =
    python.foreach(_.close())
    LabFiles.delete(parquetFile)

  @Benchmark def struct(): Long = python.fold(0L)(_.rows(s"undercroft.$library"))

  @Benchmark def parquet(): Long = python.fold(0L)(_.rows(s"parquet.$library"))
end PythonTables

object PythonTables:
  private lazy val program =
    PythonPrograms.python("numpy, pandas, polars, pyarrow.parquet")

  /** The reason why Python cannot be measured here. */
  def lack: Option[String] = Option.when(program.isEmpty):
    "no Python has numpy, pandas, polars and pyarrow: tables in Python are skipped"

  private val Script = """
import sys
import pandas, polars, pyarrow.parquet, undercroft
file, parquet = sys.argv[1:]
table = undercroft.open(file)
readers = {
    "undercroft.pandas": lambda: table.to_pandas(),
    "undercroft.arrow": lambda: table.to_arrow(),
    "undercroft.polars": lambda: table.to_polars(),
    "parquet.pandas": lambda: pandas.read_parquet(parquet),
    "parquet.arrow": lambda: pyarrow.parquet.read_table(parquet),
    "parquet.polars": lambda: polars.read_parquet(parquet),
}
for line in sys.stdin:
    print(len(readers[line.strip()]()), flush=True)
"""

  /** A process that reads a table each time that it is asked. */
  private final class Python(file: Path, parquet: Path) extends AutoCloseable:
    private val process =
      val python = program.getOrElse(throw IllegalStateException(s"$lack"))
      val builder = ProcessBuilder(python, "-c", Script, file.toString, parquet.toString)
      builder.environment.put("PYTHONPATH", System.getenv("UNDERCROFT_LAB_PYTHON"))
      builder.environment.put("PYTHONDONTWRITEBYTECODE", "1")
      builder.redirectError(ProcessBuilder.Redirect.INHERIT).start()
    private val questions = PrintStream(process.getOutputStream.nn, true)
    private val answers: BufferedReader = process.inputReader.nn

    def rows(reader: String): Long =
      questions.println(reader)
      Option(answers.readLine()).fold(throw IllegalStateException(s"Python ended at $reader"))(
        _.toLong
      )

    def close(): Unit =
      questions.close()
      process.waitFor(): Unit
  end Python
end PythonTables
