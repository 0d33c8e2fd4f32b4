package undercroft.lab.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import undercroft.buffer.SegmentPool;

/** A pool's counters, beside the time: columns of the results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class PoolCounts {
  /** Percentage of takes that an idle segment served. */
  public double hitsOfHundred;

  /** Lost races per thousand takes and returns. */
  public double lostOfThousand;

  void of(SegmentPool pool) {
    SegmentPool.Metrics metrics = pool.metrics();
    double takes = Math.max(1, metrics.hits() + metrics.misses());
    hitsOfHundred = 100 * metrics.hits() / takes;
    lostOfThousand = 500 * metrics.lostRaces() / takes;
  }
}
