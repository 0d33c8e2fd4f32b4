package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.buffer.internal.segment.Segment;
import undercroft.buffer.MarkedPool;

/** Two threads take a segment from a pool; one of them has just returned one. The same race in
 * every pool: jcstress requires its methods in each test's own class.
 */
@Description("two threads take segments from a pool to which one was just recycled")
@Outcome(id = "apart, whole, exact", expect = ACCEPTABLE, desc = "each has its own, as it was left")
@Outcome(expect = FORBIDDEN, desc = "one was given out twice, or half written, or not counted")
public class TakeSegments {
  private final MarkedPool pool;
  private Segment first;
  private Segment second;
  private boolean torn;

  private TakeSegments(MarkedPool pool) {
    this.pool = pool;
  }

  private void takeFirst() {
    pool.pass(1);
    first = pool.marked(pool.take(), 2);
  }

  private void takeSecond() {
    Segment segment = pool.take();
    torn = pool.isTorn(segment);
    second = pool.marked(segment, 3);
  }

  private void tell(LLL_Result r) {
    r.r1 = pool.holds(first, 2) && pool.holds(second, 3) ? "apart" : "same";
    r.r2 = torn ? "torn" : "whole";
    r.r3 = pool.settle(first, second, 3);
  }

  @JCStressTest
  @JCStressMeta(TakeSegments.class)
  @State
  public static class Synchronized {
    private final TakeSegments race = new TakeSegments(MarkedPool.synchronizedPool());

    @Actor
    public void first() {
      race.takeFirst();
    }

    @Actor
    public void second() {
      race.takeSecond();
    }

    @Arbiter
    public void after(LLL_Result r) {
      race.tell(r);
    }
  }

  @JCStressTest
  @JCStressMeta(TakeSegments.class)
  @State
  public static class LockFree {
    private final TakeSegments race = new TakeSegments(MarkedPool.lockFree());

    @Actor
    public void first() {
      race.takeFirst();
    }

    @Actor
    public void second() {
      race.takeSecond();
    }

    @Arbiter
    public void after(LLL_Result r) {
      race.tell(r);
    }
  }

  @JCStressTest
  @JCStressMeta(TakeSegments.class)
  @State
  public static class Striped {
    private final TakeSegments race = new TakeSegments(MarkedPool.striped());

    @Actor
    public void first() {
      race.takeFirst();
    }

    @Actor
    public void second() {
      race.takeSecond();
    }

    @Arbiter
    public void after(LLL_Result r) {
      race.tell(r);
    }
  }

  @JCStressTest
  @JCStressMeta(TakeSegments.class)
  @State
  public static class PerProcessor {
    private final TakeSegments race = new TakeSegments(MarkedPool.perProcessor());

    @Actor
    public void first() {
      race.takeFirst();
    }

    @Actor
    public void second() {
      race.takeSecond();
    }

    @Arbiter
    public void after(LLL_Result r) {
      race.tell(r);
    }
  }
}
