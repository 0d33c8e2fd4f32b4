package undercroft.testkit

class AssertAllocatesTest extends undercroft.tools.Suite:

  private val numbers = Array.tabulate(100)(identity)
  private final class Box(val value: Int)

  /** The error of an assertion that has half a second of processor time to hold. */
  private inline def soonFails(bytes: Long)(inline body: Any): AssertionError =
    intercept[AssertionError](Allocation.require(bytes, () => consume(body), 500))

  private def sum(): Int =
    var total, i = 0
    while i < numbers.length do
      total += numbers(i)
      i += 1
    total

  test("a loop over an array allocates nothing"):
    assertAllocates(0)(sum())

  test("the canary: one object a call is seen, with its bytes"):
    val error = soonFails(0)(Box(1))
    assert(clue(error.getMessage).startsWith("allocates 16 bytes a call, not 0 ("))

  test("one small object in a thousand calls is seen"):
    val once = new Allocation.Call:
      private var calls = 0
      def run(): Unit =
        calls += 1
        if calls % 1000 == 0 then consume(new Object)
    val _ = intercept[AssertionError](Allocation.require(0, once, 500))

  test("an object that does not leave the body is no allocation once it is compiled"):
    assertAllocates(0)(Box(numbers(3)).value)

  test("a body that allocates what is said passes, less or more does not"):
    assertAllocates(16)(Box(1))
    assert(soonFails(24)(Box(1)).getMessage.startsWith("allocates 16 bytes a call, not 24 ("))
    assert(soonFails(8)(Box(1)).getMessage.startsWith("allocates 16 bytes a call, not 8 ("))

  test("primitives of every kind are kept without a box"):
    assertAllocates(0)(numbers.length > 3)
    assertAllocates(0)(numbers(99).toByte)
    assertAllocates(0)(numbers(99).toShort)
    assertAllocates(0)(numbers(99).toChar)
    assertAllocates(0)(numbers(99) * 1000)
    assertAllocates(0)(numbers(99) * 1000L)
    assertAllocates(0)(numbers(99) * 1000f)
    assertAllocates(0)(numbers(99) * 1000d)

  test("a slow body is called less often, and still measured"):
    val many = Array.tabulate(1_000_000)(identity)
    def slow(): Long =
      var total = 0L
      var i = 0
      while i < many.length do
        total += many(i)
        i += 1
      total
    assertAllocates(0)(slow())

  test("the bytes of a call can be asked for"):
    assertEquals(bytesPerCall(new Array[Byte](84)), 104.0) // 16 bytes of header, rounded up to 8

  test("the least is that of a call which allocates until it is called often"):
    var calls = 0
    val least = Allocation.least: () =>
      calls += 1
      if calls < 100_000 then consume(new Array[Byte](84)) else consume(new Array[Byte](20))
    assertEquals(least, 40.0)

  test("the JIT's queue: methods that C2 compiles or will compile, not those of C1"):
    val idle = "Current compiles: \n\nC1 compile queue:\nEmpty\n\nC2 compile queue:\nEmpty\n\n\n"
    assert(!JitQueue.isBusy(idle))
    assert(!JitQueue.isBusy(""))
    val method = "1967       4       java.lang.StringLatin1::indexOf (121 bytes)"
    val compiles = s"Current compiles: \nC2 CompilerThread0  $method\n\n"
    assert(JitQueue.isBusy(compiles + "C1 compile queue:\nEmpty\n\nC2 compile queue:\nEmpty\n\n"))
    assert(JitQueue.isBusy(s"C1 compile queue:\nEmpty\n\nC2 compile queue:\n$method\n\n"))
    assert(!JitQueue.isBusy(s"C1 compile queue:\n$method\n\nC2 compile queue:\nEmpty\n\n"))

  test("the JIT's queue is read from this JVM: it is empty at some time"):
    assert(clue(JitQueue.text).exists(_.contains("\nC2 compile queue:\n")))
    var rounds = 0
    while JitQueue.isBusy do
      rounds += 1
      assert(rounds < 100_000)

  test("a virtual thread, whose allocation the JVM does not count, is rejected with its name"):
    def messageOf(body: => Unit): String =
      var message = ""
      val thread = Thread.ofVirtual.name("sim").start: () =>
        message = intercept[IllegalStateException](body).getMessage
      thread.join()
      message
    for body <- List(() => assertAllocates(0)(Box(1)), () => consume(bytesPerCall(Box(1)))) do
      val message = messageOf(body())
      assert(message.startsWith("allocation must be measured on a platform thread: "), message)
      assert(message.contains("VirtualThread[#") && message.contains(",sim]"), message)

  test("numbers of bytes that no call can allocate fail, although their products overflow"):
    for bytes <- List(1L << 62, Long.MaxValue) do
      val error = soonFails(bytes)(numbers.length)
      assert(error.getMessage.startsWith(s"allocates 0 bytes a call, not $bytes ("), error)

  test("a negative number of bytes is refused with its value"):
    val error = intercept[IllegalArgumentException](assertAllocates(-1)(()))
    assertEquals(error.getMessage, "bytes a call -1 is negative")
end AssertAllocatesTest
