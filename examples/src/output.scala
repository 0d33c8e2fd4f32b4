import java.lang.foreign.MemorySegment
import undercroft.buffer.*

@main def output(): Unit =
  val out = ByteOutput()
  try
    val length = out.size // where the length goes, once it is known
    out.writeInt(0).writeUtf8("price ").writeLongLe(251)
    out.patchInt(length, (out.size - length - 4).toInt)
    val bytes: MemorySegment = out.segment // all of it, for native code; dies with the output
    println(bytes.byteSize)
    println(out.toByteArray().take(8).mkString(" "))
    out.reset() // discards the bytes but keeps the memory
    out.writeUtf8("next")
    out.writeTo(Console.out) // or a WritableByteChannel
    println()
  finally out.close()

// prints:
// 18
// 0 0 0 14 112 114 105 99
// next
