package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Region;

/** As {@link ReadClosedRegion}, with a row so wide that one check follows twenty reads. */
@JCStressTest
@Description("a region is closed and its page used again while another thread reads a wide row of it")
@Outcome(id = "own, refused", expect = ACCEPTABLE, desc = "the read came before the close")
@Outcome(id = "refused, refused", expect = ACCEPTABLE, desc = "the read came after the close")
@Outcome(expect = FORBIDDEN, desc = "another's bytes, a torn row, or a table that outlives its region")
@State
public class ReadClosedWideRow {
  private final Region region = Region.shared();
  private final WideRows.Table table = WideRows.filled(region, Access.OWN);
  private Region next;

  @Actor
  public void reader(LL_Result r) {
    r.r1 = table.read();
  }

  @Actor
  public void closer() {
    region.close();
    next = Region.shared();
    WideRows.filled(next, Access.FOREIGN);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r2 = table.read();
    next.close();
  }
}
