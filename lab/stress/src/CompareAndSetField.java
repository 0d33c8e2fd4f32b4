package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two threads compare and set one atomic field of a struct. */
@JCStressTest
@Description("two threads claim the same atomic field of a struct by compareAndSet")
@Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "the first has it")
@Outcome(id = "false, true, 2", expect = ACCEPTABLE, desc = "the second has it")
@Outcome(expect = FORBIDDEN, desc = "both have it, or nobody")
@State
public class CompareAndSetField {
  private final AtomicFields.Shared counters = new AtomicFields.Shared();

  @Actor
  public void first(ZZJ_Result r) {
    r.r1 = counters.claim(1);
  }

  @Actor
  public void second(ZZJ_Result r) {
    r.r2 = counters.claim(2);
  }

  @Arbiter
  public void after(ZZJ_Result r) {
    r.r3 = counters.owner();
    counters.close();
  }
}
