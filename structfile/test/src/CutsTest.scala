package undercroft.structfile

import java.nio.file.{Files, Path}
import scala.util.Random

class CutsTest extends undercroft.house.Suite:

  test("a file that is cut in the moment in which it is read is an error, and not the JVM's end"):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val (code, said) = child("undercroft.structfile.Cuts", "2", s"$seed", "1")
    assertEquals(code, 0, said)
    said.linesIterator.toVector.last match
      case s"$cuts cuts, $errors errors, and each answer right" =>
        assert(errors.toInt > cuts.toInt / 2, said)
      case _ => fail(said)

  /** The exit code of a JVM that compiles before it goes on, and what it said. */
  private def child(main: String, args: String*): (Int, String) =
    val folder = Files.createTempDirectory("undercroft-cuts").nn
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val flags = Seq("-Xmx512m", "-Xbatch", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash") ++
      Seq(s"-XX:ErrorFile=$folder/error.log", "--enable-native-access=ALL-UNNAMED")
    val classes = System.getProperty("java.class.path").nn
    val process =
      ProcessBuilder((Seq(java) ++ flags ++ Seq("-cp", classes, main) ++ args)*)
        .redirectErrorStream(true)
        .nn
        .start()
        .nn
    try
      val said = String(process.getInputStream.nn.readAllBytes)
      (process.waitFor(), said)
    finally
      process.destroyForcibly(): Unit
      Files.deleteIfExists(folder.resolve("error.log")): Unit
      Files.delete(folder)
  end child
end CutsTest
