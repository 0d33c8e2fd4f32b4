import java.lang.foreign.{Arena, ValueLayout}
import undercroft.buffer.*

@main def batches(): Unit =
  val out = ByteOutput()
  try
    out.batch(maxBytes = 3000 * 8): batch => // reserves this many bytes first
      for i <- 0 until 3000 do batch.writeIntLe(i).writeIntLe(i * i)
    println(out.size)

    val arena = Arena.ofConfined()
    val vectors = out.iovecs(arena) // for writev and its like: an address and a size a piece
    println(vectors.byteSize)
    println(vectors.get(ValueLayout.JAVA_LONG, 8))
    arena.close()
    val lent = out.withIovecs(vectors => vectors.byteSize / 16) // a call of writev would be here
    println(lent)
  finally out.close()

// prints:
// 24000
// 16
// 24000
// 1
