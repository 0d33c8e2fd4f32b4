package outside.buffer

import java.lang.foreign.ValueLayout
import java.util.concurrent.atomic.{AtomicBoolean, LongAdder}
import undercroft.buffer.*

/** Threads that share an output in violation of its contract, next to outputs with one thread each.
  * It runs in a separate JVM, because a store to unmapped memory would end the JVM.
  */
object CarelessOutputs:
  private val Canaries = 4
  private val CanaryBytes = 100_000
  private val Writes = 4000

  private val ways: List[(String, (ByteOutput, Int) => Unit)] = List(
    "numbers" -> ((out, _) => repeated(out.writeLong(0x6666666666666666L): Unit)),
    "arrays" -> { (out, _) =>
      val bytes = Array.fill(128)(0x66.toByte)
      repeated(out.write(bytes, 0, 40))
    },
    "large arrays" -> { (out, _) =>
      val bytes = Array.fill(30_000)(0x66.toByte)
      repeated(out.write(bytes), Writes / 50)
    },
    "text" -> ((out, _) => repeated(out.writeUtf8("ffffffffffffffff"): Unit)),
    "close" -> { (out, thread) =>
      if thread == 0 then repeated(out.writeLong(0x6666666666666666L): Unit) else out.close()
    },
    "reset" -> { (out, thread) =>
      if thread == 0 then repeated(out.writeLong(0x6666666666666666L): Unit)
      else repeated(out.reset(keepPages = false), Writes / 50)
    },
    "patch" -> { (out, thread) =>
      if thread == 0 then repeated(out.writeLong(0x6666666666666666L): Unit)
      else repeated(out.patchLong(Math.max(0, out.size - 8), 0x6666666666666666L): Unit)
    },
    "batch" -> { (out, thread) =>
      if thread == 0 then
        out.batch(200_000): batch =>
          val writer = Thread.ofPlatform.start(() => attempt(repeated(batch.writeLong(1): Unit)))
          repeated(batch.writeLong(0x6666666666666666L): Unit)
          writer.join()
      else repeated(out.writeLong(0x6666666666666666L): Unit)
    },
    "lend" -> { (out, thread) =>
      if thread == 0 then
        out.withIovecs: vectors =>
          repeated(attempt(out.close()), 3)
          require(vectors.getAtIndex(ValueLayout.JAVA_LONG, 1) > 0)
      else repeated(out.write(1))
    }
  )

  private def repeated(body: => Unit, count: Int = Writes): Unit = for _ <- 0 until count do body

  private def attempt(body: => Unit): Unit =
    try body
    catch case _: Exception => ()

  private def canary(mark: Int): ByteOutput =
    val out = ByteOutput(1 << 20)
    out.write(Array.fill(CanaryBytes)(mark.toByte))
    out

  private def foreign(out: ByteOutput, mark: Int): Long =
    out.toByteArray().count(_ != mark.toByte).toLong + Math.abs(out.size - CanaryBytes)

  /** Takes the number of rounds of each way. */
  def main(args: Array[String]): Unit =
    val rounds = args(0).toInt
    java.util.logging.LogManager.getLogManager.reset()
    val wrong = LongAdder()
    val done = AtomicBoolean()
    val bystander = Thread.ofPlatform.start: () =>
      while !done.get do
        val out = canary(0x11)
        wrong.add(foreign(out, 0x11))
        out.close()
    for (name, way) <- ways do
      var refused = 0
      for round <- 0 until rounds do
        val shared = ByteOutput(64 << 20)
        shared.write(new Array[Byte](if round % 2 == 0 then 100 else 40_000))
        val canaries = Vector.tabulate(Canaries)(i => canary(0x20 + i))
        val threads = Vector.tabulate(2): thread =>
          Thread.ofPlatform.start: () =>
            try way(shared, thread)
            catch case _: Exception => refused += 1
        threads.foreach(_.join(20_000))
        if threads.exists(_.isAlive) then
          println(s"$name: a thread hangs")
          Runtime.getRuntime.halt(2)
        attempt(shared.close())
        for (out, i) <- canaries.zipWithIndex do
          wrong.add(foreign(out, 0x20 + i))
          out.close()
      println(s"$name: $rounds rounds, $refused uses refused")
    done.set(true)
    bystander.join()
    println(s"foreign bytes: ${wrong.sum}")
  end main
end CarelessOutputs
