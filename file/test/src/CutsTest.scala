package undercroft.file

import java.nio.file.Files
import scala.util.Random
import undercroft.tools.ChildJvm

class CutsTest extends undercroft.tools.Suite:

  test("truncating a file during a read throws and does not crash the JVM".tag(LongTest)):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val (code, output) = child("undercroft.file.Cuts", "2", s"$seed", "1")
    assertEquals(code, 0, output)
    output.linesIterator.toVector.last match
      case s"$cuts cuts, $errors errors, and each answer right" =>
        assert(errors.toInt > cuts.toInt / 2, output)
      case _ => fail(output)

  /** The exit code and the output of a child JVM that compiles in the foreground (`-Xbatch`). */
  private def child(main: String, args: String*): (Int, String) =
    val folder = Files.createTempDirectory("undercroft-cuts").nn
    val flags = Seq("-Xmx512m", "-Xbatch", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash") ++
      Seq(s"-XX:ErrorFile=$folder/error.log", "--enable-native-access=ALL-UNNAMED")
    val classes = System.getProperty("java.class.path").nn
    val process =
      ChildJvm.builder((flags ++ Seq("-cp", classes, main) ++ args)*)
        .redirectErrorStream(true)
        .nn
        .start()
        .nn
    try
      val output = String(process.getInputStream.nn.readAllBytes)
      (process.waitFor(), output)
    finally
      process.destroyForcibly(): Unit
      Files.deleteIfExists(folder.resolve("error.log")): Unit
      Files.delete(folder)
  end child
end CutsTest
