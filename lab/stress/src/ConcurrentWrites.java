package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Two threads write numbers and arrays to one output, without a lock. */
@JCStressTest
@Description("two threads write numbers and arrays to one output")
@Outcome(id = "(done|rejected), (done|rejected), intact", expect = ACCEPTABLE, desc = "no other output was changed")
@Outcome(expect = FORBIDDEN, desc = "bytes of another output were overwritten")
@State
public class ConcurrentWrites {
  private final Outputs.SharedOutput output = new Outputs.SharedOutput();

  @Actor
  public void first(LLL_Result r) {
    r.r1 = output.writeNumbers();
  }

  @Actor
  public void second(LLL_Result r) {
    r.r2 = output.writeArrays();
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r3 = output.end();
  }
}
