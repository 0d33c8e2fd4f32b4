package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.buffer.Segment;
import undercroft.buffer.Stressed;

/** Two threads take a segment from the per-processor pool; one of them has just given one back. */
@JCStressTest
@Description("two threads take segments from the per-processor pool, to which one has just come back")
@Outcome(id = "apart, whole, exact", expect = ACCEPTABLE, desc = "each has its own, as it was left")
@Outcome(expect = FORBIDDEN, desc = "one was given out twice, or half written, or not counted")
@State
public class TakeSegmentsPerProcessor {
  private final Stressed pool = Stressed.perProcessor();
  private Segment first;
  private Segment second;
  private boolean torn;

  @Actor
  public void first() {
    pool.pass(1);
    first = pool.marked(pool.take(), 2);
  }

  @Actor
  public void second() {
    Segment taken = pool.take();
    torn = pool.isTorn(taken);
    second = pool.marked(taken, 3);
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r1 = pool.holds(first, 2) && pool.holds(second, 3) ? "apart" : "same";
    r.r2 = torn ? "torn" : "whole";
    r.r3 = pool.settle(first, second, 3);
  }
}
