package undercroft.lab.bench

import java.net.URLClassLoader
import java.nio.file.Path
import java.util.function.LongUnaryOperator

/** Programs in class loaders of their own, with the library that their class path has. */
object Isolated:

  /** The program in the class `name`; `variable` is the environment variable that has the paths of
    * its libraries, and `own` are further paths.
    */
  def program(name: String, variable: String, own: Path*): LongUnaryOperator =
    val jars = Option(System.getenv(variable)).map(_.nn)
    val path = jars.getOrElse(throw IllegalStateException(s"no $variable: run it by the build"))
    val files = own ++ path.split(java.io.File.pathSeparator).nn.map(jar => Path.of(jar.nn).nn)
    val urls = files.map(_.toUri.nn.toURL).toArray
    val loader = URLClassLoader(urls, ClassLoader.getPlatformClassLoader)
    loader.loadClass(name).nn.getConstructor().nn.newInstance() match
      case program: LongUnaryOperator => program
end Isolated

/** The trading day in scala-offheap, on Scala 2.11: `lab/offheap211`. */
object ScalaOffheap:
  private lazy val program =
    Isolated.program("offheap211.EmbedArrayDay", "UNDERCROFT_LAB_SCALA_OFFHEAP")

  /** Records `trades` trades, computes the balance, and frees the memory of the day. */
  def day(trades: Int): Long = program.applyAsLong(trades)
