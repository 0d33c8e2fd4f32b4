package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads add to one atomic field of a struct. */
@JCStressTest
@Description("two threads add one to the same atomic field of a struct")
@Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "the first came first")
@Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "the second came first")
@Outcome(expect = FORBIDDEN, desc = "an addition was lost")
@State
public class ConcurrentAtomicAdds {
  private final AtomicFields.Shared counters = new AtomicFields.Shared();

  @Actor
  public void first(III_Result r) {
    r.r1 = counters.add();
  }

  @Actor
  public void second(III_Result r) {
    r.r2 = counters.add();
  }

  @Arbiter
  public void after(III_Result r) {
    r.r3 = counters.count();
    counters.close();
  }
}
