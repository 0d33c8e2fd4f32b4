package undercroft.tools

import java.io.File
import java.lang.ref.{ReferenceQueue, WeakReference}
import java.net.URLClassLoader
import java.nio.file.{Files, Path}

/** Runs a program in class loaders that each load the whole class path and are dropped after their
  * run, and reports the loaders, threads and bytes that remain.
  */
object DroppedLoaders:

  /** The loaders, threads and bytes that remain, beyond the ones after the first run. */
  final case class Rest(loaders: Int, threads: Int, addressBytes: Long, residentBytes: Long):
    /** Fails if loaders or threads are left, or more memory than the JVM's own code and data. */
    def check(): Unit =
      if !isNothing then throw AssertionError(s"dropped class loaders have left $this")

    def isNothing: Boolean = loaders == 0 && threads <= 0 &&
      addressBytes < MostAddressBytes && residentBytes < MostResidentBytes

  private val MostAddressBytes = 1L << 36
  private val MostResidentBytes = 256L << 20

  /** The report of a JVM that runs `program` in `count` loaders, one after the other. */
  def run(program: Class[? <: Runnable], count: Int, flags: Seq[String] = ForkedJvm.Granted): Rest =
    Requirement.LINUX.require()
    val result =
      ForkedJvm.run(DroppedLoaders.getClass, flags, Seq(program.getName, count.toString))
    result.last match
      case s"rest $loaders $threads $addressBytes $residentBytes" if result.exit == 0 =>
        Rest(loaders.toInt, threads.toInt, addressBytes.toLong, residentBytes.toLong)
      case _ => throw AssertionError(s"exit code ${result.exit}: ${result.output}")

  def main(args: Array[String]): Unit =
    // Starts threads of the JDK, which keep the context class loader of the thread that starts them.
    val recording = jdk.jfr.Recording()
    recording.start()
    recording.close()
    // The first loader may be alive still: what each of the following ones leaves is counted.
    runIn(args(0))
    val (threads, address, resident) = (threadCount, memory("VmSize"), memory("VmRSS"))
    for _ <- 1 to args(1).toInt do runIn(args(0))
    areCollected: Unit
    def rest =
      Rest(left, threadCount - threads, memory("VmSize") - address, memory("VmRSS") - resident)
    var rounds = 0
    while rounds < Rounds && !rest.isNothing do
      collected.remove(RoundMillis): Unit // waits: no loader is left to be enqueued
      rounds += 1
    if threadCount > threads then println(Thread.getAllStackTraces.keySet)
    println(s"rest ${rest.productIterator.mkString(" ")}")

  private val collected = ReferenceQueue[ClassLoader]()
  private var dropped = List.empty[WeakReference[ClassLoader]]

  /** The rounds, each with a collection, after which all must be collected. */
  private val Rounds = 100
  private val RoundMillis = 300L

  private def runIn(program: String): Unit = inLoader(program):
    case task: Runnable => task.run()

  /** Passes an instance of a class to `use`, on this thread, which lives on, and drops its loader.
    */
  def inLoader[A](className: String)(use: Any => A): A =
    val urls =
      System.getProperty("java.class.path").split(File.pathSeparator).map(File(_).toURI.toURL)
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    val loader = URLClassLoader(urls, ClassLoader.getPlatformClassLoader)
    dropped = WeakReference[ClassLoader](loader, collected) :: dropped
    try
      thread.setContextClassLoader(loader)
      use(loader.loadClass(className).getConstructor().newInstance())
    finally
      thread.setContextClassLoader(before)
      loader.close()

  /** Waits until all dropped loaders are collected; false if that takes too long. */
  def areCollected: Boolean =
    var rounds = 0
    while left > 0 && rounds < Rounds do
      System.gc()
      collected.remove(RoundMillis): Unit
      rounds += 1
    left == 0

  private def left: Int = dropped.count(!_.refersTo(null))

  private def threadCount: Int = Thread.getAllStackTraces.size

  /** A size of this process in bytes. */
  private def memory(name: String): Long =
    val line = Files.readAllLines(Path.of("/proc/self/status")).stream
      .filter(_.startsWith(s"$name:"))
      .findFirst
      .get
    line.filter(_.isDigit).toLong * 1024
end DroppedLoaders
