package outside.buffer

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.ByteBuffer
import java.nio.channels.{GatheringByteChannel, WritableByteChannel}
import undercroft.buffer.*

/** Writes of byte outputs to channels that return another number of bytes than they took. */
class OutputChannelTest extends undercroft.tools.Suite:
  private val content = Array.tabulate(100)(_.toByte)

  /** Takes up to 60 bytes of a call. */
  private final class Counting(result: Long => Long) extends GatheringByteChannel:
    val taken = ByteArrayOutputStream()
    private var calls = 0

    def write(sources: Array[ByteBuffer], from: Int, count: Int): Long =
      calls += 1
      if calls > 1000 then throw AssertionError("the writes do not end")
      var bytes = 0L
      for source <- sources.slice(from, from + count) do
        while bytes < 60 && source.hasRemaining do
          taken.write(source.get().toInt)
          bytes += 1
      result(bytes)
    def write(sources: Array[ByteBuffer]): Long = write(sources, 0, sources.length)
    def write(source: ByteBuffer): Int = write(Array(source), 0, 1).toInt
    def isOpen: Boolean = true
    def close(): Unit = ()
  end Counting

  /** The same channel without its gathering writes. */
  private final class Single(channel: Counting) extends WritableByteChannel:
    def write(source: ByteBuffer): Int = channel.write(source)
    def isOpen: Boolean = true
    def close(): Unit = ()

  private def write(channel: Counting, gathers: Boolean): Long =
    val target: WritableByteChannel = if gathers then channel else Single(channel)
    val out = ByteOutput()
    try
      out.write(content)
      out.writeTo(target)
    finally out.close()

  for gathers <- Seq(true, false) do
    val kind = if gathers then "gathering channel" else "channel"

    test(s"a $kind that takes a part at a time gets all bytes"):
      val channel = Counting(bytes => bytes)
      assertEquals(write(channel, gathers), 100L)
      assertEquals(ByteString(channel.taken.toByteArray), ByteString(content))

    for (name, result) <- Seq[(String, Long => Long)](
        ("more than it was given", _ => 1000L),
        ("0 for all bytes", _ => 0L),
        ("-1", _ => -1L)
      )
    do
      test(s"a $kind that returns $name is an error"):
        val error = intercept[IOException](write(Counting(result), gathers))
        assertEquals(
          error.getMessage,
          s"a channel took 60 of 100 bytes, but returned ${result(60)}"
        )
  end for
end OutputChannelTest
