package undercroft.lab.bench

// How long does a fresh JVM take until it has stored 1000 rows in its first region, and in FFM's arena?

import java.io.File
import java.lang.foreign.{Arena, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** A call is a whole process, from its start to its end: it stores 1000 trades and prints the sum
  * of a field.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 9)
class FreshProcess extends Measured:
  @Param(Array("FirstRegion", "FirstArena")) var program = ""

  @Benchmark def run(): Long =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val process = ProcessBuilder(
      java,
      "-Xmx256m",
      "--enable-native-access=ALL-UNNAMED",
      "-cp",
      FreshProcess.classPath,
      s"undercroft.lab.bench.$program"
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    process.getOutputStream.close()
    val output = String(process.getInputStream.readAllBytes(), UTF_8).strip
    if process.waitFor() != 0 || output != FreshProcess.expected.toString then
      throw IllegalStateException(s"$program ended with ${process.exitValue}: $output")
    output.toLong
end FreshProcess

object FreshProcess:
  final val rows = 1000
  val expected: Long = (0L until rows).sum

  /** The folders and jars of both programs, as an application would have them: no JMH, no rivals.
    */
  lazy val classPath: String =
    val classes = Seq(classOf[Region], classOf[Rows[?]], classOf[FreshProcess], classOf[List[?]])
    val locations = classes.map(_.getProtectionDomain.nn.getCodeSource.nn.getLocation.nn.toURI)
    locations.map(Path.of(_).toString).distinct.mkString(File.pathSeparator)
end FreshProcess

object FirstRegion:
  def main(args: Array[String]): Unit =
    Region.scoped:
      val trades = Rows[Trade](FreshProcess.rows)
      var i = 0
      while i < FreshProcess.rows do
        trades(i) = Trade(i, i, i, buy = true)
        i += 1
      println(trades.sumOf(_.price))

object FirstArena:
  def main(args: Array[String]): Unit =
    val arena = Arena.ofConfined()
    try
      val memory = arena.allocate(FreshProcess.rows * 16L, 4)
      var i = 0
      while i < FreshProcess.rows do
        val at = i * 16L
        memory.set(ValueLayout.JAVA_INT, at, i)
        memory.set(ValueLayout.JAVA_INT, at + 4, i)
        memory.set(ValueLayout.JAVA_INT, at + 8, i)
        memory.set(ValueLayout.JAVA_BYTE, at + 12, 1.toByte)
        i += 1
      var sum = 0L
      i = 0
      while i < FreshProcess.rows do
        sum += memory.get(ValueLayout.JAVA_INT, i * 16L + 8)
        i += 1
      println(sum)
    finally arena.close()
end FirstArena
