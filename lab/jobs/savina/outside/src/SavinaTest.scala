package savina

import scala.jdk.CollectionConverters.*
import undercroft.tools.Suite

class SavinaTest extends Suite:
  /** Runs all benchmarks at their small sizes, twice in one system. */
  private def check(program: String)(
      use: (((Benchmark, Int) => Long) => Unit) => Unit
  ): Unit =
    val before = Thread.getAllStackTraces.keySet.asScala.toSet
    use: run =>
      for
        benchmark <- Benchmark.values if InTurns.programs(benchmark).contains(program)
        _ <- 1 to 2
      do
        val answer = run(benchmark, benchmark.small)
        assertEquals(answer, benchmark.answer(benchmark.small), benchmark.toString)
    val after = Thread.getAllStackTraces.keySet.asScala.toSet
    for thread <- after -- before if thread.getName.startsWith("savina") do
      thread.join(60_000)
      assert(!thread.isAlive, thread.getName)

  for run <- Ours.runs do
    test(s"our actors have the answer of each benchmark under the run model $run"):
      check(run)(Ours.use(run))

  test("Pekko's actors have the answer of each benchmark"):
    check("Pekko")(PekkoTyped.use)

  test("the answers of sizes that are known from elsewhere"):
    assertEquals(Benchmark.Sieve.answer(100_000), 9592L)
    assertEquals(Benchmark.Fibonacci.answer(25), 75_025L)
    assertEquals(Benchmark.Skynet.answer(1_000_000), 499_999_500_000L)
    assertEquals(Benchmark.ThreadRing.answer(1234), 34L)

  test("the answer of a benchmark depends on its size"):
    for benchmark <- Benchmark.values do
      val sizes = Seq(benchmark.small, benchmark.small * 10)
      assertEquals(sizes.map(benchmark.answer).distinct.size, 2, benchmark.toString)

  test("two chameneos have the same colour after a meeting, and each two make the third one"):
    import Color.*
    assertEquals(Color.values.map(c => c.complement(c)).toSeq, Color.values.toSeq)
    assertEquals(Seq(Blue.complement(Red), Red.complement(Yellow)), Seq(Yellow, Blue))
    assertEquals(Yellow.complement(Blue), Red)

  test("all programs of a round have the answer, and times"):
    val runs = InTurns.round(Benchmark.PingPong, Benchmark.PingPong.small, warmUp = 0, number = 1)
    assertEquals(runs.map(_.program), InTurns.programs(Benchmark.PingPong))
    assertEquals(runs.map(InTurns.answer).distinct, Seq("100"))
    for run <- runs do assert(InTurns.nanos(run) > 0, run.program)

  test("only a benchmark whose actors work in a row has threads for them"):
    assert(!InTurns.programs(Benchmark.Skynet).contains("Thread"))
    assert(InTurns.programs(Benchmark.Counting).contains("Thread"))
end SavinaTest
