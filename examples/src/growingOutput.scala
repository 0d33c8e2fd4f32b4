import java.io.OutputStream
import undercroft.buffer.ByteOutput

/** An array that grows as in JDK 6: doubled up to a limit, and past it by what is needed. */
class GrowingArray(limit: Int) extends OutputStream:
  private var array = new Array[Byte](32)
  private var size = 0
  var copied = 0L

  def write(value: Int): Unit =
    if size == array.length then
      copied += size
      array = java.util.Arrays.copyOf(array, if size < limit then size * 2 else size + 1)
    array(size) = value.toByte
    size += 1

@main def growingOutput(): Unit =
  val limit = 1 << 16 // the article's was 1 GiB
  for bytes <- Seq(limit / 2, limit + 1024) do
    val array = GrowingArray(limit)
    for i <- 0 until bytes do array.write(i)
    val output = ByteOutput()
    try
      for i <- 0 until bytes do output.write(i)
      println(s"$bytes bytes: the array copied ${array.copied}, the output ${output.copiedBytes}")
    finally output.close()

// prints:
// 32768 bytes: the array copied 32736, the output 21760
// 66560 bytes: the array copied 67698144, the output 21760
