package undercroft.lab

class NoiseGuardTest extends undercroft.tools.Suite:

  /** In each sampled second other processes use `busy(i)` processors. */
  private final class Neighbours(busy: Double*):
    private var looks = 0
    private var busySeconds = 0.0
    var pauses = 0

    def now(): Option[CpuSample] =
      if looks % 2 == 1 then busySeconds += busy.applyOrElse(looks / 2, (_: Int) => 0.0)
      looks += 1
      Some(CpuSample(looks / 2, busySeconds, 0))

    def guard(patience: NoisePolicy): NoiseGuard =
      NoiseGuard(patience, () => now(), () => pauses += 1)
  end Neighbours

  private def counted(guard: NoiseGuard, isFinal: Boolean = false): Watched[Int] =
    var attempts = 0
    guard.watch { attempts += 1; attempts }(_ => isFinal)

  test("a quiet step is measured once"):
    val watched = counted(Neighbours(0.125).guard(NoisePolicy(2, 9, 0)))
    assertEquals(watched, Watched(1, Some(0.125), 0))
    assert(!watched.disturbed)

  test("a disturbed step is repeated, and the quiet attempt counts"):
    val watched = counted(Neighbours(1.5, 0.125).guard(NoisePolicy(2, 9, 0)))
    assertEquals(watched, Watched(2, Some(0.125), 1))

  test("a step that stays disturbed is marked, and its least disturbed attempt counts"):
    val watched = counted(Neighbours(1.5, 0.5, 0.75, 0).guard(NoisePolicy(2, 9, 0)))
    assertEquals(watched, Watched(2, Some(0.5), 2))
    assert(watched.disturbed)

  test("the number of repeats is limited per run, not only per step"):
    val guard = Neighbours(1, 2, 1, 2, 1, 2).guard(NoisePolicy(2, 3, 0))
    assertEquals(counted(guard).repeats, 2)
    assertEquals(counted(guard).repeats, 1)
    assertEquals(counted(guard).repeats, 0)

  test("a failed step is not repeated"):
    assertEquals(counted(Neighbours(2, 0).guard(NoisePolicy(2, 9, 0)), isFinal = true).repeats, 0)

  test("the noise guard waits before a step until the machine is quiet, up to a limit"):
    val busy = Neighbours(1, 1, 0, 0)
    assertEquals(counted(busy.guard(NoisePolicy(0, 0, 9))), Watched(1, Some(0.0), 0))
    assertEquals(busy.pauses, 3)
    val never = Neighbours(Seq.fill(9)(1.0)*)
    assert(counted(never.guard(NoisePolicy(0, 0, 4))).disturbed)
    assertEquals(never.pauses, 4)

  test("without CPU statistics no step is repeated or marked"):
    val guard = NoiseGuard(NoisePolicy(2, 9, 9), () => None, () => ())
    assertEquals(counted(guard), Watched(1, None, 0))

  test("CpuSample.parse reads Linux's /proc/stat tables"):
    val machine = "cpu  100 20 30 1000 40 5 6 7 8 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
    val self = "77 (a name) b) S 1 2 3 4 5 6 7 8 9 10 110 20 30 4 20 0 1 0"
    assertEquals(CpuSample.parse(3, machine, self), Some(CpuSample(3, 1.68, 1.64)))
    assertEquals(CpuSample.parse(3, "", self), None)
    assertEquals(CpuSample.parse(3, machine, "77"), None)

  test("CPU time of others is the busy time minus our own"):
    val start = CpuSample(10, 100, 40)
    assertEqualsDouble(CpuSample(12, 103, 41).others(start), 1, 1e-9)
    assertEquals(CpuSample(12, 103, 44).others(start), 0.0)
    assertEquals(start.others(start), 0.0)

  test("the CPU time of this process and its ended children counts as our own"):
    undercroft.tools.Requirement.LINUX.require() // for /proc/stat
    val start = CpuSample.now().get
    os.call((s"${System.getProperty("java.home")}/bin/java", "-version"), stderr = os.Pipe): Unit
    val end = CpuSample.now().get
    assert(end.own - start.own >= 0.01, s"$start $end")
    assert(end.busy >= start.busy, s"$start $end")
end NoiseGuardTest
