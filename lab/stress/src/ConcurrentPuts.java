package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Two threads put entries in one map without a lock. */
@JCStressTest
@Description("two threads put entries in one map without a lock")
@Outcome(id = "(put|rejected), (put|rejected), intact", expect = ACCEPTABLE, desc = "one at a time")
@Outcome(expect = FORBIDDEN, desc = "a store outside the map's slots, or a torn entry")
@State
public class ConcurrentPuts {
  private final Maps.SharedMap map = new Maps.SharedMap();

  @Actor
  public void first(LLL_Result r) {
    r.r1 = map.put(10_000);
  }

  @Actor
  public void second(LLL_Result r) {
    r.r2 = map.put(20_000);
  }

  @Arbiter
  public void end(LLL_Result r) {
    r.r3 = map.end();
  }
}
