package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two threads free a block that neither of them allocated. */
@JCStressTest
@Description("two threads free the same block of a third thread")
@Outcome(id = "freed, refused", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "refused, freed", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "both freed it, or nobody did")
@State
public class FreeTwice {
  private final long block = BlockOwner.block();

  @Actor
  public void first(LL_Result r) {
    r.r1 = Access.free(block);
  }

  @Actor
  public void second(LL_Result r) {
    r.r2 = Access.free(block);
  }
}
