package undercroft.exchange

import internal.run.{ChildMessage, Day, Measurement, Pauses}

class ChildMessageTest extends undercroft.tools.Suite:
  private val day = Day(BigInt("-170141183460469231731687303715884105728"), 1, 2, 3)

  test("every ChildMessage is encoded as one line and decodes to itself"):
    val words = Seq(
      ChildMessage.Opened(2),
      ChildMessage.Recorded(5_000_000_000L),
      ChildMessage.Weighing,
      ChildMessage.Failed("out of memory\twith a tab"),
      ChildMessage.Done(Measurement(
        7,
        day,
        day.copy(recordNanos = 9),
        13.25,
        7L << 30,
        Some(8),
        "pages"
      )),
      ChildMessage.Done(Measurement(0, day, day, 56, 0, None, "pages, system [x]"))
    )
    for word <- words do
      assertEquals(word.line.linesIterator.size, 1)
      assertEquals(ChildMessage.of(word.line), Some(word))

  test("a failure reason of several lines is encoded as one line"):
    assertEquals(ChildMessage.Failed("one\ntwo").line.linesIterator.size, 1)

  test("a line printed by the JVM does not decode to a ChildMessage"):
    assertEquals(ChildMessage.of("GC(0) Pause Full (System.gc()) 9M->3M(64M) 2.0ms"), None)

  test("Pauses counts pauses without concurrent work and keeps the peak heap size"):
    val log = Seq(
      "Using G1",
      "GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms",
      "GC(1) Concurrent Mark Cycle 14.000ms",
      "GC(1) Pause Remark 90M->80M(256M) 1.500ms",
      "GC(2)   Merge Heap Roots: 0.1ms",
      "GC(3) Y: Pause Mark Start 0.010ms"
    )
    val pauses = log.foldLeft(Pauses.empty)(_.and(_))
    assertEquals(pauses.count, 3)
    assertEquals(pauses.maxMillis, 2.345)
    assertEqualsDouble(pauses.totalMillis, 3.855, 1e-9)
    assertEquals(pauses.peakHeapBytes, 90L << 20)
end ChildMessageTest
