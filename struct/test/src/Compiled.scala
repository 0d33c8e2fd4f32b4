package undercroft.struct

import dotty.tools.dotc.Driver
import dotty.tools.dotc.core.Contexts.NoContext
import dotty.tools.dotc.interfaces.Diagnostic
import dotty.tools.dotc.reporting.StoreReporter
import java.nio.file.Files

/** The diagnostics of the compiler for a source, compiled as user code. */
final class Compiled(source: String, options: String*):
  private val diagnostics = Compiled.diagnostics(source, options)

  val errors: String = of(Diagnostic.ERROR)
  val warnings: String = of(Diagnostic.WARNING)

  private def of(level: Int): String =
    diagnostics.filter(_.level == level).map(_.message).mkString("\n")

object Compiled:
  private def diagnostics(source: String, options: Seq[String]) =
    val folder = Files.createTempDirectory("compiled").nn
    val file = folder.resolve("User.scala").nn
    Files.writeString(file, source): Unit
    val path = System.getProperty("java.class.path").nn
    val args = Array("-classpath", path, "-color:never", "-d", folder.toString) ++ options
    try
      val reporter = StoreReporter()
      val _ = Driver().process(args :+ file.toString, reporter, null)
      reporter.removeBufferedMessages(using NoContext)
    finally
      val files = Files.walk(folder).nn
      files.sorted(java.util.Comparator.reverseOrder).nn.forEach(Files.delete(_))
      files.close()
