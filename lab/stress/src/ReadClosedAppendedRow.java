package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;

/** As {@link ReadClosedScope}, with appended rows: appending in a scope does not check memory. */
@JCStressTest
@Description("rows are appended in a scope, and in the next one, while another thread reads the first row")
@Outcome(id = "nothing", expect = ACCEPTABLE, desc = "the read came before the append")
@Outcome(id = "own", expect = ACCEPTABLE, desc = "the read came before the scope's end")
@Outcome(id = "refused", expect = ACCEPTABLE, desc = "the read came after the scope's end")
@Outcome(expect = FORBIDDEN, desc = "another's row, or one that is not whole")
@State
public class ReadClosedAppendedRow {
  private volatile long published;

  @Actor
  public void reader(L_Result r) {
    long row = published;
    r.r1 = row == 0 ? "nothing" : Access.read(row);
  }

  @Actor
  public void scopes() {
    Appends.publish(Access.OWN, row -> published = row);
    Appends.publish(Access.FOREIGN, row -> {});
  }
}
