package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A thread puts entries in a map while another removes some. */
@JCStressTest
@Description("a thread puts entries in a map from which another one removes some")
@Outcome(
    id = "(put|rejected), (removed|rejected), intact",
    expect = ACCEPTABLE,
    desc = "one at a time")
@Outcome(expect = FORBIDDEN, desc = "a store outside the map's slots, or a torn entry")
@State
public class PutDuringRemoves {
  private final Maps.SharedMap map = new Maps.SharedMap();

  @Actor
  public void first(LLL_Result r) {
    r.r1 = map.put(10_000);
  }

  @Actor
  public void second(LLL_Result r) {
    r.r2 = map.remove();
  }

  @Arbiter
  public void end(LLL_Result r) {
    r.r3 = map.end();
  }
}
