package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Region;

/** A table is created, filled and published by a volatile store; another thread reads it. */
@JCStressTest
@Description("a table is filled and published by a volatile store while another thread reads the field")
@Outcome(id = "nothing, nothing", expect = ACCEPTABLE, desc = "the look came before the store")
@Outcome(id = "own, own", expect = ACCEPTABLE, desc = "whoever sees the table sees its rows")
@Outcome(expect = FORBIDDEN, desc = "a table without its rows")
@State
public class PublishTable {
  private static final int LOOKS = 1000;
  private final Region region = Region.shared();
  private volatile Tables.Ticks table;

  @Actor
  public void maker() {
    table = Tables.filled(region, Access.OWN);
  }

  @Actor
  public void reader(LL_Result r) {
    Tables.Ticks ticks = table;
    for (int i = 0; ticks == null && i < LOOKS; i++) ticks = table;
    r.r1 = ticks == null ? "nothing" : Access.word(ticks.first());
    r.r2 = ticks == null ? "nothing" : Access.word(ticks.last());
  }

  @Arbiter
  public void after() {
    region.close();
  }
}
