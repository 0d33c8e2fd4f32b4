package undercroft.lab

import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{CREATE, WRITE}
import scala.util.{Try, Using}

/** JMH's lock of the machine, held for a whole run of the lab and not for each step: two runs
  * beside each other measure each other.
  */
object JmhLock:
  private val file = os.Path(System.getProperty("java.io.tmpdir").nn) / "jmh.lock"
  private val ignored = java.lang.Boolean.getBoolean("jmh.ignoreLock")

  /** Runs with the lock; else returns the reason, with the process that has the lock. */
  def hold[A](run: => A): Either[String, A] =
    if ignored then Right(run)
    else
      // JMH reads it when it runs its first step: it need not take the lock that this process has.
      System.setProperty("jmh.ignoreLock", "true"): Unit
      Using.resource(FileChannel.open(file.toNIO, CREATE, WRITE).nn): channel =>
        // The lock ends with its channel.
        if channel.tryLock() != null then Right(run)
        else Left(s"another run of JMH is at work on this machine: $holder has $file")

  /** The process that has the lock, as the system lists it. */
  private def holder: String =
    val process = Try:
      val inode = java.nio.file.Files.getAttribute(file.toNIO, "unix:ino")
      val line = os.read.lines(os.root / "proc" / "locks").find(_.contains(s":$inode "))
      line.get.split(" +").nn(4).nn
    process.fold(_ => "another process", number => s"process $number")
end JmhLock
