package undercroft.lab.stress

import java.util.ConcurrentModificationException
import undercroft.buffer.{BufferException, ByteOutput, ClosedException}

/** Outputs that two threads share in violation of their contract, between outputs that none of
  * their operations may change.
  */
object Outputs:
  /** The bytes written before the test: the next ones move the output off the heap. */
  private val Before = 16_200
  private val Writes = 64
  private val CanaryBytes = 20_000
  private val Canary = 0x5c.toByte
  private val MaxBytes = 1L << 20

  private def canary(): ByteOutput =
    val output = ByteOutput(MaxBytes)
    output.write(Array.fill(CanaryBytes)(Canary))
    output

  private def isIntact(output: ByteOutput): Boolean =
    val bytes = output.toByteArray()
    bytes.length == CanaryBytes && bytes.forall(_ == Canary)

  final class SharedOutput:
    private val below = canary()
    private val output = ByteOutput(MaxBytes)
    output.write(new Array[Byte](Before))
    private val above = canary()
    private var next: ByteOutput | Null = null
    private val array = new Array[Byte](128)

    def writeNumbers(): String = attempt(output.writeLong(-1): Unit)
    def writeArrays(): String = attempt(output.write(array, 0, 40))
    def writeText(): String = attempt(output.writeUtf8("a text of some bytes"): Unit)
    def patch(): String = attempt(output.patchLong(Before - 8L, -1): Unit)
    def batch(): String =
      attempt(output.batch(64)(batch => for _ <- 1 to 8 do batch.writeLong(-1)): Unit)

    /** Removes all bytes and frees the memory, which another output then takes. */
    def reset(): String =
      val result = once(output.reset(keepPages = false))
      next = canary()
      result

    /** Closes the output, whose memory another output then takes. */
    def close(): String =
      val result = once(output.close())
      next = canary()
      result

    /** Whether the outputs of other owners are unchanged; frees all of them. */
    def end(): String =
      val others = List(below, above, next).collect { case other: ByteOutput => other }
      val intact = others.forall(isIntact)
      others.foreach(_.close())
      output.close()
      if intact then "intact" else "overwritten"

    private def attempt(operation: => Unit): String =
      var result = "done"
      for _ <- 1 to Writes do if once(operation) != "done" then result = "rejected"
      result

    private def once(operation: => Unit): String =
      try
        operation
        "done"
      catch
        case _: (ConcurrentModificationException | BufferException | ClosedException) => "rejected"
        case _: (IllegalStateException | IndexOutOfBoundsException)                   => "rejected"
  end SharedOutput
end Outputs
