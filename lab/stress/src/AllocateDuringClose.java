package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Region;
import undercroft.memory.RegionClosedException;

/** A shared region is closed while another thread allocates from it. */
@JCStressTest
@Description("a shared region is closed while another thread allocates from it")
@Outcome(id = "got, refused", expect = ACCEPTABLE, desc = "the block came first, and died with the region")
@Outcome(id = "closed, refused", expect = ACCEPTABLE, desc = "the close came first")
@Outcome(expect = FORBIDDEN, desc = "a block that outlives its region")
@State
public class AllocateDuringClose {
  private final Region region = Region.shared();
  private long block = region.allocateBlock(64, 8);

  @Actor
  public void allocator(LL_Result r) {
    try {
      block = region.allocateBlock(64, 8);
      r.r1 = "got";
    } catch (RegionClosedException e) {
      r.r1 = "closed";
    }
  }

  @Actor
  public void closer() {
    region.close();
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r2 = Access.read(block);
  }
}
