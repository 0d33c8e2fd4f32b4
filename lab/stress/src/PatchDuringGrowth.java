package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A thread writes to an output while another patches a number in it, without a lock. */
@JCStressTest
@Description("a thread writes to an output while another patches a number in it")
@Outcome(id = "(done|rejected), (done|rejected), intact", expect = ACCEPTABLE, desc = "no other output was changed")
@Outcome(expect = FORBIDDEN, desc = "bytes of another output were overwritten")
@State
public class PatchDuringGrowth {
  private final Outputs.SharedOutput output = new Outputs.SharedOutput();

  @Actor
  public void first(LLL_Result r) {
    r.r1 = output.writeArrays();
  }

  @Actor
  public void second(LLL_Result r) {
    r.r2 = output.patch();
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r3 = output.end();
  }
}
