package undercroft.tools

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.concurrent.TimeUnit

/** CI finds the logs of JVMs that crashed in the sandbox of a test. */
class CrashesTest extends Suite:
  private def run(folder: Path, since: Path): (Int, String) =
    Requirement.BASH.require()
    val out = Files.createTempFile("crashes", ".txt").nn
    val script = s"${sys.env("UNDERCROFT")}/.ci/crashes"
    val command = Seq("bash", script, folder.toString, since.toString)
    val process =
      ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(out.toFile).start().nn
    assert(process.waitFor(60, TimeUnit.SECONDS))
    (process.exitValue, Files.readString(out).nn)

  private def sandbox(): (Path, Path) =
    val root = Files.createTempDirectory("crashes").nn
    val since = Files.writeString(root.resolve("since"), "").nn
    Files.setLastModifiedTime(since, FileTime.fromMillis(1_000_000)): Unit
    val folder = root.resolve("out/actor/test/testForked.dest/a b/sandbox").nn
    (root, Files.createDirectories(folder).nn)

  test(".ci/crashes prints an hs_err log of a sandbox below the folder and exits with 1"):
    val (root, folder) = sandbox()
    val log = Files.writeString(folder.resolve("hs_err_pid42.log"), "#\n# SIGSEGV at x\nheap\n")
    val (code, text) = run(root, root.resolve("since").nn)
    assertEquals(code, 1)
    assertEquals(text, s"a JVM of a test crashed:\n$log\n# SIGSEGV at x\n")

  test(".ci/crashes prints nothing and exits with 0 if the folder has no newer hs_err log"):
    val (root, folder) = sandbox()
    assertEquals(run(root, root.resolve("since").nn), (0, ""))
    val old = Files.writeString(folder.resolve("hs_err_pid7.log"), "# old\n").nn
    Files.setLastModifiedTime(old, FileTime.fromMillis(10)): Unit
    assertEquals(run(root, root.resolve("since").nn), (0, ""))

  test("a JVM that crashes without -XX:ErrorFile writes its log to its working directory"):
    val (root, folder) = sandbox()
    // Native code reads the address 8.
    val program = Files.writeString(folder.resolve("Crash.java"), CrashesTest.program).nn
    val process = ChildJvm.builder(
      "-Xmx64m",
      "-XX:-CreateCoredumpOnCrash",
      "--enable-native-access=ALL-UNNAMED",
      program.toString
    )
      .directory(folder.toFile)
      .redirectErrorStream(true)
      .redirectOutput(folder.resolve("out").nn.toFile)
      .start()
      .nn
    assert(process.waitFor(120, TimeUnit.SECONDS))
    assert(process.exitValue != 0, Files.readString(folder.resolve("out")))
    val (code, text) = run(root, root.resolve("since").nn)
    assertEquals(code, 1, text)
    assert(text.contains("SIGSEGV"), text)
end CrashesTest

object CrashesTest:
  private val program =
    """import java.lang.foreign.*;
      |class Crash {
      |  public static void main(String[] args) throws Throwable {
      |    var linker = Linker.nativeLinker();
      |    var strlen = linker.downcallHandle(linker.defaultLookup().findOrThrow("strlen"),
      |        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
      |    System.out.println((long) strlen.invokeExact(8L));
      |  }
      |}
      |""".stripMargin
