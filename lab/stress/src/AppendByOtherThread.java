package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LJ_Result;

/** The owner thread of a scope appends to a table while another thread tries to. */
@JCStressTest
@Description("a thread appends to a table of its scope while another one tries to")
@Outcome(id = "nothing, 3", expect = ACCEPTABLE, desc = "the try came before the table")
@Outcome(id = "refused, 3", expect = ACCEPTABLE, desc = "the table is its thread's alone")
@Outcome(expect = FORBIDDEN, desc = "a row of another, or one that was lost")
@State
public class AppendByOtherThread {
  private volatile Appends.Appender published;

  @Actor
  public void owner(LJ_Result r) {
    r.r2 = Appends.three(appender -> published = appender);
  }

  @Actor
  public void another(LJ_Result r) {
    Appends.Appender appender = published;
    r.r1 = appender == null ? "nothing" : appender.attempt();
  }
}
