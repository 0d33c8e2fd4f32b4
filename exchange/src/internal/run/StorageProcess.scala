package undercroft.exchange
package internal.run

import internal.storage.{CapacityExceeded, Storage}
import java.io.{FileDescriptor, FileOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import undercroft.memory.{MemoryException, Pages}

/** The program of a storage's own JVM: a day of one trade, two days, a weighing, and messages about
  * them on standard output. Takes the storage's name and the number of trades.
  *
  * It ends when its standard input does, so that it never outlives the process that started it.
  */
object StorageProcess:
  private val out = FileOutputStream(FileDescriptor.out)

  private val ProgressNanos = 100_000_000L

  def main(args: Array[String]): Unit =
    endWithParent()
    val word =
      try measure(Storage.valueOf(args(0)), args(1).toLong)
      catch case failure: Throwable => ChildMessage.Failed(reason(failure))
    say(word)
    System.exit(0)

  private def measure(storage: Storage, trades: Long): ChildMessage =
    val weight = HeapFootprint()
    var heldBytes = Option.empty[Long]
    var peakHeap = 0L
    def sample() = peakHeap = math.max(peakHeap, HeapFootprint.used)

    say(ChildMessage.Opened(1))
    val start = Day.of(storage, 1, _ => ())(_ => ())
    val first = Day.of(storage, trades, progress(0))(_ => sample())
    say(ChildMessage.Opened(2))
    val second = Day.of(storage, trades, progress(trades)): exchange =>
      sample()
      say(ChildMessage.Weighing)
      heldBytes = exchange.bytesHeld
      if heldBytes.isEmpty then weight.load(exchange)
    val bytesPerTrade = heldBytes match
      case Some(bytes)                                 => bytes.toDouble / trades
      case None if trades >= HeapFootprint.LeastTrades => weight.bytesPerTrade(trades)
      case None                                        => HeapFootprint.apart(storage)

    if first.balance != second.balance then
      ChildMessage.Failed(
        s"the second day's balance is ${second.balance}, the first's ${first.balance}"
      )
    else
      ChildMessage.Done(
        Measurement(
          start.totalNanos,
          first,
          second,
          bytesPerTrade,
          peakHeap,
          peakResident,
          Pages.describe
        )
      )
  end measure

  private def peakResident: Option[Long] =
    val status = Path.of("/proc/self/status").nn
    if !Files.isReadable(status) then None
    else
      Files.readAllLines(status).nn.asScala.collectFirst:
        case s"VmHWM:$kibibytes kB" => kibibytes.strip.nn.toLong << 10

  private def progress(before: Long): Long => Unit =
    var next = System.nanoTime + ProgressNanos
    recorded =>
      if System.nanoTime > next then
        say(ChildMessage.Recorded(before + recorded))
        next = System.nanoTime + ProgressNanos

  /** The messages of a JVM whose heap is full, or whose collector takes nearly all of the time. */
  private val Full = Set("Java heap space", "GC overhead limit exceeded")

  private def reason(failure: Throwable): String = failure match
    case reason: (CapacityExceeded | MemoryException)             => reason.getMessage.nn
    case _: OutOfMemoryError if Full.contains(failure.getMessage) => "out of memory"
    case _: OutOfMemoryError => s"out of memory: ${failure.getMessage}"
    case _                   => s"failed: $failure"

  /** One write a line, so that the collector's log never comes between its parts. */
  private def say(word: ChildMessage): Unit = out.write((word.line + "\n").getBytes(UTF_8))

  private def endWithParent(): Unit =
    val watch = Thread(() =>
      while System.in.nn.read() >= 0 do ()
      Runtime.getRuntime.nn.halt(1)
    )
    watch.setDaemon(true)
    watch.start()
end StorageProcess
