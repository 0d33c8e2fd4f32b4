package undercroft.memory

import internal.platform.{Limits, Settings}
import java.io.File
import java.nio.file.Files

class LimitsTest extends undercroft.tools.Suite:

  test("the default limit leaves the heap's maximum and a sixteenth for the JVM"):
    assertEquals(Limits.defaultBytes(16.GiB, 4.GiB), 11.GiB)

  test("the default limit is at least an eighth of memory, even if the heap takes nearly all"):
    assertEquals(Limits.defaultBytes(8.GiB, 8.GiB), 1.GiB)

  private def delete(file: File): Unit =
    val children = file.listFiles
    if children != null then for child <- children do delete(child)
    file.delete(): Unit

  test("the container's limit is the least of the process's groups and of all groups around them"):
    val root = Files.createTempDirectory("cgroup")
    def limit(group: String, file: String, text: String): Unit =
      val folder = Files.createDirectories(root.resolve(group))
      Files.writeString(folder.resolve(file), text + "\n"): Unit
    try
      limit("pod", "memory.max", s"${500.MiB}")
      limit("pod/container/init", "memory.max", "max")
      limit("memory/slice", "memory.limit_in_bytes", s"${300.MiB}")
      limit("memory/slice/job", "memory.limit_in_bytes", s"${400.MiB}")
      def bytes(groups: String*): Long = Limits.containerBytes(root, groups.toArray)
      assertEquals(bytes("0::/pod/container/init"), 500.MiB)
      assertEquals(bytes("4:memory:/slice/job", "0::/pod/container"), 300.MiB)
      assertEquals(bytes("5:cpu:/pod/container", "0::/other/group"), bytes("0::/"))
      assert(bytes("0::/") > 1.TiB, bytes("0::/").toString)
    finally delete(root.toFile)

  test("Settings.parse reads a number with an optional unit letter and rejects other text"):
    assertEquals(Settings.parse("4096"), 4096L)
    assertEquals(Settings.parse("64k"), 64.KiB)
    assertEquals(Settings.parse("512m"), 512.MiB)
    assertEquals(Settings.parse("20G"), 20.GiB)
    assertEquals(Settings.parse("1t"), 1.TiB)
    for wrong <- List("", "m", "-1", "1x", "99999999999999999999", "9999999999g") do
      assertEquals(Settings.parse(wrong), -1L, wrong)

  test("a budget that two regions share limits the sum of their bytes"):
    val budget = Budget("shared by two", 2.MiB)
    val first = Region.shared(budget)
    val second = Region.shared(budget)
    first.allocate(1.MiB, 8): Unit
    second.allocate(512.KiB, 8): Unit
    val e = intercept[MemoryLimitException](second.allocate(1.MiB, 8))
    assertEquals((e.budget, e.requestedBytes, e.availableBytes), ("shared by two", 1.MiB, 512.KiB))
    assertEquals(
      e.getMessage,
      "asked for 1048576 bytes, but only 524288 are available in the budget of shared by two"
    )
    first.close()
    second.allocate(1.MiB, 8): Unit
    second.close()
    assertEquals(budget.liveBytes, 0L)

  test("a Budget with a negative limit throws InvalidSizeException with the limit"):
    val e = intercept[InvalidSizeException](Budget("none", -5))
    assert(e.getMessage.contains("-5"))

  test("a reservation that exceeds its budget throws and keeps its committed memory"):
    val budget = Budget("growing", 8.MiB)
    Region.within(budget):
      val reservation = Region.current.reserve(1.GiB)
      reservation.segment(4.MiB).fill(1): Unit
      intercept[MemoryLimitException](reservation.segment(100.MiB)): Unit
      assertEquals(
        reservation.segment(4.MiB).get(java.lang.foreign.ValueLayout.JAVA_BYTE, 4.MiB - 1),
        1.toByte
      )
      intercept[InvalidSizeException](reservation.segment(2.GiB)): Unit
    assertEquals(budget.liveBytes, 0L)

  test("closing a reservation from two threads releases its bytes and its count once"):
    val budget = Budget("closed by two", 1.GiB)
    for _ <- 1 to 500 do
      val reservation = Reservation.within(budget, 1.MiB)
      reservation.segment(8): Unit
      val together = java.util.concurrent.CyclicBarrier(2)
      val close = () =>
        together.await(): Unit
        reservation.close()
      val thread = Thread(() => close())
      thread.start()
      close()
      thread.join()
    assertEquals((budget.liveCount, budget.liveBytes), (0L, 0L))

  test("a reservation larger than the cage throws InvalidSizeException with the size"):
    val e = intercept[InvalidSizeException](Reservation(Long.MaxValue))
    assert(e.getMessage.contains(Long.MaxValue.toString))
end LimitsTest
