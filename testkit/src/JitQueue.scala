package undercroft.testkit

import java.lang.management.ManagementFactory
import javax.management.{JMException, ObjectName}

/** The methods that C2, the JIT compiler with the best code, compiles and will compile. */
private[testkit] object JitQueue:

  private val commands = ObjectName("com.sun.management:type=DiagnosticCommand")

  /** Whether C2 compiles a method or methods wait for it: code that is hot may still run as the
    * other compiler, C1, left it, which keeps objects that C2 removes. False where the JVM does not
    * tell.
    */
  def isBusy: Boolean = text.exists(isBusy)

  /** The output of `jcmd PID Compiler.queue` for this JVM. */
  private[testkit] def text: Option[String] =
    try
      val server = ManagementFactory.getPlatformMBeanServer
      server.invoke(commands, "compilerQueue", Array.empty[AnyRef], Array.empty[String]) match
        case text: String => Some(text)
        case _            => None
    catch case _: JMException => None

  /** Reads a text of [[text]]: a line for each method that is being compiled, and for each compiler
    * a title with a line for each method that waits, or "Empty".
    */
  private[testkit] def isBusy(text: String): Boolean =
    val lines = text.linesIterator.map(_.trim).toList
    val queue = lines.dropWhile(_ != "C2 compile queue:").drop(1).takeWhile(_.nonEmpty)
    lines.exists(_.startsWith("C2 CompilerThread")) || queue.exists(_ != "Empty")
end JitQueue
