package outside.memory

import java.io.File
import java.net.{URL, URLClassLoader}
import java.util.concurrent.CyclicBarrier
import undercroft.memory.*
import undercroft.tools.ForkedJvm

/** The initialization of the library by its first uses. */
class InitializationTest extends undercroft.tools.Suite:

  test("two threads whose first uses of memory are Malloc and a region both return"):
    val range = "-Dundercroft.range=1g" // for each round
    val result = ForkedJvm.run(classOf[FirstUses.type], ForkedJvm.Granted :+ range)
    assertEquals((result.output.trim, result.exit), ("all good", 0))
end InitializationTest

/** Uses the library for the first time on two threads at once, in a new class loader each round. */
object FirstUses:
  private val Rounds = 5

  /** The time limit of a round in milliseconds. */
  private val LimitMillis = 30_000L

  def main(args: Array[String]): Unit =
    for round <- 1 to Rounds do
      val loader = IsolatedLoader()
      val start = CyclicBarrier(2)
      val threads = IsolatedLoader.Users.map: name =>
        val user = loader.loadClass(name).getConstructor().newInstance().asInstanceOf[Runnable]
        val thread = Thread(() => usedAfter(start, user))
        thread.setDaemon(true)
        thread.start()
        thread
      threads.foreach(_.join(LimitMillis))
      if threads.exists(_.isAlive) then
        println(s"in round $round a first use did not return")
        System.exit(1)
    println("all good")

  private def usedAfter(start: CyclicBarrier, user: Runnable): Unit =
    start.await(): Unit
    user.run()
end FirstUses

final class MallocUser extends Runnable:
  def run(): Unit = Malloc.free(Malloc.allocateBlock(64, 8))

final class RegionUser extends Runnable:
  def run(): Unit = Region.scoped(Region.allocate(64).fill(1)): Unit

/** Defines the classes of memory and of its users, and takes all others from the application. */
final class IsolatedLoader
    extends URLClassLoader(IsolatedLoader.classPath, FirstUses.getClass.getClassLoader):

  override def loadClass(name: String, resolve: Boolean): Class[?] =
    if !name.startsWith("undercroft.memory.") && !IsolatedLoader.Users.contains(name) then
      super.loadClass(name, resolve)
    else
      getClassLoadingLock(name).synchronized:
        val loaded = findLoadedClass(name)
        if loaded != null then loaded else findClass(name)
end IsolatedLoader

object IsolatedLoader:
  val Users: Seq[String] = Seq("outside.memory.MallocUser", "outside.memory.RegionUser")

  private def classPath: Array[URL] =
    System.getProperty("java.class.path").split(File.pathSeparator).map(File(_).toURI.toURL)
