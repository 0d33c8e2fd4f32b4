package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.memory.Region;

/** One thread appends to a table of a shared region while another closes the region and writes to a
 * new one, which reuses its pages.
 */
@JCStressTest
@Description("a shared region is closed and its pages used again while another thread appends to its table")
@Outcome(id = "appended, refused, foreign", expect = ACCEPTABLE, desc = "the append came before the close")
@Outcome(id = "refused, refused, foreign", expect = ACCEPTABLE, desc = "the append came after the close")
@Outcome(
    id = "appended, refused, own",
    expect = ACCEPTABLE_INTERESTING,
    desc = "a store that raced with the close, noticed late")
@Outcome(expect = FORBIDDEN, desc = "a table that outlives its region, or memory of two owners")
@State
public class AppendDuringClose {
  private final Region region = Region.shared();
  private final Appends.Appender rows = Appends.in(region, Access.OWN);
  private Region next;
  private Appends.Rereader reader;

  @Actor
  public void appender(LLL_Result r) {
    r.r1 = rows.attempt();
  }

  @Actor
  public void closer() {
    region.close();
    next = Region.shared();
    reader = Appends.appended(next, Access.FOREIGN);
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r2 = rows.attempt();
    r.r3 = Access.word(reader.first());
    next.close();
  }
}
