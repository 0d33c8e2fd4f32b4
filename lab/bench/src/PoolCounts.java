package undercroft.lab.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import undercroft.buffer.SegmentPool;

/** What a pool's books say, beside the time: columns of the results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class PoolCounts {
  /** Of a hundred takes, those that an idle segment served. */
  public double hitsOfHundred;

  /** Lost races of a thousand takes and returns. */
  public double lostOfThousand;

  void of(SegmentPool pool) {
    SegmentPool.Metrics metrics = pool.metrics();
    double takes = Math.max(1, metrics.hits() + metrics.misses());
    hitsOfHundred = 100 * metrics.hits() / takes;
    lostOfThousand = 500 * metrics.lostRaces() / takes;
  }
}
