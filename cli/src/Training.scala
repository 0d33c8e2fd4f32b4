package undercroft.cli

import java.io.{OutputStream, PrintStream}
import java.nio.file.{Files, Path}

/** Runs commands over small files in a temporary folder, so that the AOT cache of the launcher has
  * their classes.
  */
object Training:
  def main(args: Array[String]): Unit =
    val silent = PrintStream(OutputStream.nullOutputStream)
    val folder = Files.createTempDirectory("undercroft-").nn
    def file(name: String): String = folder.resolve(name).toString
    val commands = Seq(
      Seq("--help"),
      Seq("convert", file("t.csv"), file("t.cols")),
      Seq("convert", file("t.cols"), file("t.rows"), "--layout", "rows"),
      Seq("convert", file("t.rows"), file("t.parquet")),
      Seq("convert", file("t.rows"), file("t.arrow")),
      Seq("schema", file("t.cols")),
      Seq("head", file("t.cols")),
      Seq("head", file("t.parquet"), "--csv"),
      Seq("stats", file("t.cols")),
      Seq("sql", "select count(*) from t", file("t.cols"))
    )
    try
      val lines = (1 to 20_000).map(i => s"$i,${i / 4.0},${i % 3 == 0},name $i,2026-01-02")
      Files.writeString(
        Path.of(file("t.csv")),
        lines.mkString("id,price,buy,name,day\n", "\n", "\n")
      )
      for command <- commands do
        val code = Main.run(command, silent, System.err.nn)
        if code != 0 then throw IllegalStateException(s"${command.mkString(" ")} ended with $code")
    finally
      for files <- Option(folder.toFile.listFiles()); file <- files do file.delete(): Unit
      folder.toFile.delete(): Unit
  end main
end Training
