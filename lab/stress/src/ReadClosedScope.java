package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;

/** As {@link ReadClosedRegion}, with scoped regions, whose pages come from the thread cache. */
@JCStressTest
@Description("a scope ends and the next one takes its page while another thread reads through a reference")
@Outcome(id = "nothing", expect = ACCEPTABLE, desc = "the read came before the scope")
@Outcome(id = "own", expect = ACCEPTABLE, desc = "the read came before the scope's end")
@Outcome(id = "refused", expect = ACCEPTABLE, desc = "the read came after the scope's end")
@Outcome(expect = FORBIDDEN, desc = "another's bytes")
@State
public class ReadClosedScope {
  private volatile long published;

  @Actor
  public void reader(L_Result r) {
    long block = published;
    r.r1 = block == 0 ? "nothing" : Access.read(block);
  }

  @Actor
  public void scopes() {
    Scopes.publish(Access.OWN, block -> published = block);
    Scopes.publish(Access.FOREIGN, block -> {});
  }
}
