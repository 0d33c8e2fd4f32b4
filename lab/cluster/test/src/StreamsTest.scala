package undercroft.lab.cluster

/** The benchmarks of streams do the same work as their rivals. */
class StreamsTest extends munit.FunSuite:

  test("a stream has all bytes of its source"):
    val benchmark = StreamedBytes()
    try
      assertEquals(benchmark.bySegments(), StreamedBytes.size.toLong)
      assertEquals(benchmark.byJavaStreams(), StreamedBytes.size.toLong)
    finally benchmark.stop()

  test("a stream has all rows of its table"):
    val benchmark = StreamedRows()
    benchmark.fill()
    try
      val sum = StreamedRows.count.toLong / 1000 * (999 * 1000 / 2)
      assertEquals(benchmark.ofStructs(), sum)
      assertEquals(benchmark.ofObjects(), sum)
    finally
      benchmark.free()
      benchmark.stop()
