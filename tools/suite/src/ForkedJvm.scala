package undercroft.tools

import java.lang.management.ManagementFactory
import java.nio.charset.Charset
import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import scala.jdk.CollectionConverters.*

/** Runs a main class of the tests in a new JVM, with its own flags, limits and process state. It
  * has C2 if this JVM has it, and may crash: its error log is not left behind.
  */
object ForkedJvm:

  /** @param output
    *   the lines of standard error, then those of standard output; if the JVM crashed, the
    *   beginning of its error log follows
    */
  final case class Result(exit: Int, output: String):
    /** The last line of the output: lines that the runtime logs are before it, whenever they come.
      */
    def last: String = output.linesIterator.toList.lastOption.getOrElse("")

  /** Flags that grant and deny native access. */
  val Granted: Seq[String] = Seq("--enable-native-access=ALL-UNNAMED")
  val Denied: Seq[String] = Seq("--illegal-native-access=deny")

  /** The flag of a JVM that ends soon: C2 takes more time than it saves. */
  val WithoutC2: String = "-XX:TieredStopAtLevel=1"

  private val inherited: Option[String] =
    Option.when(ManagementFactory.getRuntimeMXBean.nn.getInputArguments.nn.contains(WithoutC2)):
      WithoutC2

  /** The time limit of a program in minutes. */
  private val Minutes = 10L
  private val LogLines = 60

  /** Runs a main class to its end.
    *
    * @param shell
    *   shell commands to run before it, such as `ulimit -v 1000000;`
    * @param onLine
    *   receives each line of standard output
    */
  def run(
      main: Class[?] | String,
      flags: Seq[String] = Granted,
      arguments: Seq[String] = Nil,
      shell: String = "",
      environment: Map[String, String] = Map.empty,
      onLine: (Process, String) => Unit = (_, _) => ()
  ): Result =
    val log = Files.createTempFile("hs_err", ".log").nn
    val errors = Files.createTempFile("errors", ".log").nn
    try
      val command = commandOf(main, flags, arguments, log)
      val whole =
        if shell.isEmpty then command
        else
          Requirement.BASH.require()
          val quoted = command.map(part => s"'$part'").mkString(" ")
          Seq("bash", "-c", s"$shell exec $quoted")
      val builder = ChildJvm.withoutOptions(ProcessBuilder(whole*).redirectError(errors.toFile))
      builder.environment.nn.putAll(environment.asJava)
      val process = builder.start()
      val lines = List.newBuilder[String]
      // Its output ends when it ends, at the latest when it is killed. `Process.destroy` would close
      // the output at once; the handle does not.
      val kill = CompletableFuture.delayedExecutor(Minutes, TimeUnit.MINUTES)
      val isKilled = CompletableFuture[Boolean]()
      kill.execute: () =>
        if isKilled.complete(true) then process.toHandle.destroyForcibly(): Unit
      process.inputReader.lines.forEach: line =>
        lines += line
        onLine(process, line)
      val exit = process.waitFor()
      val output = (text(errors) ++ lines.result()).mkString("\n") + Files.readAllLines(
        log
      ).asScala.take(LogLines)
        .map("\n" + _).mkString
      if !isKilled.complete(false) && isKilled.get then
        throw AssertionError(s"$main did not end in $Minutes minutes: $output")
      Result(exit, output)
    finally
      Files.delete(log)
      Files.delete(errors)
    end try
  end run

  /** The lines of a file, whatever its bytes. */
  private def text(file: Path): List[String] =
    String(Files.readAllBytes(file), Charset.defaultCharset).linesIterator.toList

  private def commandOf(
      main: Class[?] | String,
      flags: Seq[String],
      arguments: Seq[String],
      log: Path
  ): Seq[String] =
    val name = main match
      case text: String     => text
      case type_ : Class[?] => type_.getName.stripSuffix("$")
    Seq(ChildJvm.JAVA, "-Xms32m", "-Xmx256m", "-XX:-UsePerfData", "-XX:-CreateCoredumpOnCrash") ++
      Seq(s"-XX:ErrorFile=$log") ++ inherited ++ flags ++
      Seq("-cp", System.getProperty("java.class.path").nn, name) ++ arguments
end ForkedJvm
