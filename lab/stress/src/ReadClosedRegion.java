package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Region;

/** One thread reads through a reference while another closes the region and writes to a new one,
 * which reuses its page.
 */
@JCStressTest
@Description("a region is closed and its page used again while another thread reads through a reference")
@Outcome(id = "own, refused", expect = ACCEPTABLE, desc = "the read came before the close")
@Outcome(id = "refused, refused", expect = ACCEPTABLE, desc = "the read came after the close")
@Outcome(expect = FORBIDDEN, desc = "another's bytes, or a reference that outlives its region")
@State
public class ReadClosedRegion {
  private final Region region = Region.shared();
  private final long block = Access.write(region.allocateBlock(64, 8), Access.OWN);
  private Region next;

  @Actor
  public void reader(LL_Result r) {
    r.r1 = Access.read(block);
  }

  @Actor
  public void closer() {
    region.close();
    next = Region.shared();
    Access.write(next.allocateBlock(64, 8), Access.FOREIGN);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r2 = Access.read(block);
    next.close();
  }
}
