package undercroft.lab

class EstimateTest extends undercroft.tools.Suite:
  private def near(a: Double, b: Double): Boolean = (a - b).abs < 1e-3

  test("observations are the means of forks, or the iterations of a single fork"):
    assertEquals(Samples(Seq(Seq(1, 3), Seq(5, 7))).observations, Seq(2.0, 6.0))
    assertEquals(Samples(Seq(Seq(1, 3))).observations, Seq(1.0, 3.0))

  test("the interval of a mean is Student's t interval"):
    // Mean 2, standard error 1 / sqrt 3, and t at 97.5 % with two degrees of freedom is 4.303.
    val estimate = Estimate.of(Samples(Seq(Seq(1, 2, 3))))
    assertEquals(estimate.measured, 2.0)
    val interval = estimate.interval.get
    assert(near(interval.low, 2 - 4.30265 / math.sqrt(3)), interval.low)
    assert(near(interval.high, 2 + 4.30265 / math.sqrt(3)), interval.high)

  test("one observation has no interval"):
    val sample = Samples(Seq(Seq(1.0)))
    assertEquals(Estimate.of(sample).interval, None)
    assertEquals(Estimate.ratio(sample, sample).interval, None)

  test("a ratio's interval contains the ratio and shrinks with the noise"):
    def samples(mean: Double, noise: Double) =
      Samples(Seq(-2, -1, 0, 1, 2).map(step => Seq(mean + step * noise)))
    val noisy = Estimate.ratio(samples(10, 1), samples(20, 2))
    val calm = Estimate.ratio(samples(10, 0.1), samples(20, 0.2))
    assertEquals(noisy.measured, 0.5)
    assertEquals(calm.measured, 0.5)
    for estimate <- Seq(noisy, calm); interval <- estimate.interval do
      assert(interval.low < 0.5 && interval.high > 0.5, estimate)
    assert(calm.interval.get.high < noisy.interval.get.high)

  test("95 % intervals contain the true ratio in about 95 % of runs"):
    val random = java.util.Random(7)
    def draw(mean: Double) = Samples(Seq.fill(5)(Seq(mean * (1 + 0.05 * random.nextGaussian))))
    val runs = 4000
    val hits = (1 to runs).count: _ =>
      val interval = Estimate.ratio(draw(3), draw(4)).interval.get
      interval.low <= 0.75 && 0.75 <= interval.high
    assert(hits > runs * 0.93 && hits < runs * 0.97, hits)

  test("a machine that becomes slower does not widen a ratio of neighbours in a round"):
    def samples(mean: Double, rounds: Seq[Int]) =
      Samples(Seq(1.0, 3, 2, 8).map(slowdown => Seq(mean * slowdown)), rounds)
    val paired = Estimate.ratio(samples(10, 1 to 4), samples(20, 1 to 4))
    assert(near(paired.measured, 0.5), paired)
    assert(paired.interval.exists(i => near(i.low, 0.5) && near(i.high, 0.5)), paired)
    for rounds <- Seq(Seq(), 3 to 6, Seq(1, 1, 2, 2)) do
      val apart = Estimate.ratio(samples(10, 1 to 4), samples(20, rounds))
      assert(near(apart.measured, 0.5) && apart.interval.exists(_.high > 1), s"$rounds: $apart")

  test("of unequal rounds the common ones decide"):
    val ours = Samples(Seq(1.0, 2, 3, 90).map(Seq(_)), 1 to 4)
    val rival = Samples(Seq(20.0, 30, 10).map(Seq(_)), Seq(2, 3, 1))
    assert(near(Estimate.ratio(ours, rival).measured, 0.1))

  test("a mean of ratios is geometric and has a narrower interval than each ratio"):
    def ratio(of: Double) = Estimate(of, Some((low = of / 1.1, high = of * 1.1)))
    val mean = Estimate.mean(Seq(ratio(2), ratio(8)))
    assert(near(mean.measured, 4), mean)
    assert(mean.interval.exists(i => i.high > 4 && i.high < 4.4 && i.low < 4 && i.low > 4 / 1.1))
    assertEquals(Estimate.mean(Seq(ratio(2), Estimate(2, None))).interval, None)

  test("a difference is our time minus the rival's"):
    val first = Samples(Seq(Seq(1.0), Seq(1.2)))
    val rival = Samples(Seq(Seq(0.5), Seq(0.7)))
    val estimate = Estimate.difference(first, rival)
    assert(near(estimate.measured, 0.5), estimate)
    assert(estimate.interval.exists(i => i.low < 0.5 && i.high > 0.5), estimate)

  test("samples without noise have an interval of width zero"):
    val constant = Samples(Seq(Seq(2.0), Seq(2.0)))
    val interval = Estimate.ratio(constant, constant).interval.get
    assertEquals(interval.low, 1.0)
    assertEquals(interval.high, 1.0)

  test("a ratio with a mean of zero has no interval"):
    val (zero, noisy) = (Samples(Seq(Seq(0.0), Seq(0.0))), Samples(Seq(Seq(1.0), Seq(1.1))))
    for (ours, rival) <- Seq(zero -> zero, zero -> noisy, noisy -> zero) do
      assertEquals(Estimate.ratio(ours, rival).interval, None)
end EstimateTest
