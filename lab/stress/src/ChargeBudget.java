package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Budget;

/** Two threads charge a budget that has room for one of them. */
@JCStressTest
@Description("two threads charge a budget that has room for one of them")
@Outcome(id = "charged, refused", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "refused, charged", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "more than the budget holds, or nobody got what there was")
@State
public class ChargeBudget {
  private final Budget budget = Budget.apply("stress", 3, false);

  @Actor
  public void first(LL_Result r) {
    r.r1 = charge(2);
  }

  @Actor
  public void second(LL_Result r) {
    r.r2 = charge(3);
  }

  private String charge(long bytes) {
    return budget.tryHold(bytes) ? "charged" : "refused";
  }
}
