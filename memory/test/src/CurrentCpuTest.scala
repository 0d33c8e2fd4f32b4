package undercroft.memory

import internal.platform.{CurrentCpu, Native}

class CurrentCpuTest extends undercroft.tools.Suite:
  test("the processor is known once a thread of its own has linked the native call"):
    assume(Native.available, "this JVM has no native access")
    val end = System.nanoTime + 60_000_000_000L
    while !CurrentCpu.request() && System.nanoTime - end < 0 do Thread.onSpinWait()
    assert(CurrentCpu.request(), "the call is not linked after a minute")
    // A processor that is offline has a number, too, so the count of available ones is no bound.
    val processor = CurrentCpu.current
    assert(processor >= 0 && processor < 65_536, processor.toString)
