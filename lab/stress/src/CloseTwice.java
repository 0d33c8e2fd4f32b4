package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Region;
import undercroft.memory.RegionClosedException;

/** Two threads close one shared region. */
@JCStressTest
@Description("two threads close one shared region")
@Outcome(id = "closed, refused", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "refused, closed", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "its pages were given back twice, or never")
@State
public class CloseTwice {
  private final Region region = Region.shared();

  public CloseTwice() {
    region.allocateBlock(64, 8);
  }

  @Actor
  public void first(LL_Result r) {
    r.r1 = close();
  }

  @Actor
  public void second(LL_Result r) {
    r.r2 = close();
  }

  private String close() {
    try {
      region.close();
      return "closed";
    } catch (RegionClosedException e) {
      return "refused";
    }
  }
}
