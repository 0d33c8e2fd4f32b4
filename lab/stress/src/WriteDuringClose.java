package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A thread writes to an output while another closes it and fills a new one, without a lock. */
@JCStressTest
@Description("a thread writes to an output while another closes it and fills a new one")
@Outcome(id = "(done|rejected), (done|rejected), intact", expect = ACCEPTABLE, desc = "no other output was changed")
@Outcome(
    id = "done, done, overwritten",
    expect = ACCEPTABLE_INTERESTING,
    desc = "a store that raced with the change, detected late")
@Outcome(
    id = "rejected, done, overwritten",
    expect = ACCEPTABLE_INTERESTING,
    desc = "a store that raced with the change, detected late")
@Outcome(expect = FORBIDDEN, desc = "bytes of another output were overwritten")
@State
public class WriteDuringClose {
  private final Outputs.SharedOutput output = new Outputs.SharedOutput();

  @Actor
  public void first(LLL_Result r) {
    r.r1 = output.writeNumbers();
  }

  @Actor
  public void second(LLL_Result r) {
    r.r2 = output.close();
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r3 = output.end();
  }
}
