package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.memory.Budget;

/** One thread charges an available amount, and another requests more than the limit. */
@JCStressTest
@Description("a thread charges the available bytes while another requests more than the limit")
@Outcome(id = "charged, refused, 0", expect = ACCEPTABLE, desc = "each as if it were alone; nothing is left")
@Outcome(expect = FORBIDDEN, desc = "a charge that failed took another's room, or kept some")
@State
public class ChargeBesideRefusedCharge {
  private final Budget budget = Budget.apply("stress", 3, false);

  @Actor
  public void modest(LLL_Result r) {
    boolean charged = budget.tryHold(2);
    if (charged) budget.release(2);
    r.r1 = charged ? "charged" : "refused";
  }

  @Actor
  public void greedy(LLL_Result r) {
    r.r2 = budget.tryHold(10) ? "charged" : "refused";
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r3 = budget.liveBytes();
  }
}
