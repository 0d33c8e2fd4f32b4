package outside.duckdb

import undercroft.duckdb.{DuckDb, DuckDbException}
import undercroft.tools.{ForkedJvm, SmallDisk}

/** A temporary folder that does not permit execution. */
class NoExecTest extends undercroft.tools.Suite:
  test("a temporary folder mounted noexec is named with the system's reason and the cure"):
    SmallDisk("300m", java.util.List.of("noexec")).use: folder =>
      val flags = ForkedJvm.Granted :+ s"-Djava.io.tmpdir=$folder"
      val result = ForkedJvm.run(classOf[FirstQuery.type], flags)
      assertEquals(result.exit, 0, result.output)
      val cure = s"; the folder $folder must permit execution (no mount option noexec), " +
        "or -Djava.io.tmpdir=FOLDER selects another"
      assert(result.last.endsWith(cure), result.output)
      assert(result.last.contains("could not be loaded: "), result.output)
      assert(result.last.contains("failed to map segment"), result.output) // glibc's words
end NoExecTest

object FirstQuery:
  def main(args: Array[String]): Unit =
    try
      DuckDb().close()
      println("loaded")
    catch case error: DuckDbException => println(error.getMessage)
