package undercroft.lab.bench

// What does a user's build pay for the macros: a file of case classes, with operations on a table of each?

import dotty.tools.dotc.Main
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*

/** A call compiles a file by a compiler that has compiled it `warmUps` times, to a jar. The file
  * has case classes of four fields and a method for each: over rows, over an array of objects, or
  * over a MemorySegment by hand.
  */
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
abstract class Compilation(warmUps: Int) extends Measured:
  @Param(Array("rows", "arrays", "segments")) var program = ""
  @Param(Array("1", "10", "40")) var classes = 0

  private var source = Path.of("")

  @Setup(Level.Trial) def write(): Unit =
    source = LabFiles.path("program.scala")
    Files.writeString(source, CompiledProgram(program, classes))
    for _ <- 1 to warmUps do compile(): Unit

  /** Returns the jar of the compiled program. */
  @Benchmark def compile(): Path =
    val jar = source.resolveSibling("program.jar")
    val words = Seq("-d", jar.toString, "-classpath", FreshProcess.classPath, source.toString)
    val report = Main.process(words.toArray)
    if report.hasErrors then throw IllegalStateException(report.summary)
    jar

  @TearDown(Level.Trial) def delete(): Unit = LabFiles.delete(source)
end Compilation

/** As the first file of a build: the JIT has not compiled the compiler. */
class ColdCompilation extends Compilation(warmUps = 0)

/** As a file of a build that has run for a while. */
class WarmCompilation extends Compilation(warmUps = 6)
