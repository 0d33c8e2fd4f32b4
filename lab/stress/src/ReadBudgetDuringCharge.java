package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Budget;

/** One thread charges more than the remaining budget while another reads the bytes held. */
@JCStressTest
@Description("a thread requests more than a budget has available, and another reads its live bytes")
@Outcome(id = "refused, within", expect = ACCEPTABLE, desc = "what is held never passes the limit")
@Outcome(expect = FORBIDDEN, desc = "more is held, or seems to be, than the budget allows")
@State
public class ReadBudgetDuringCharge {
  private final Budget budget = Budget.apply("stress", 3, false);

  public ReadBudgetDuringCharge() {
    budget.charge(2);
  }

  @Actor
  public void charger(LL_Result r) {
    r.r1 = budget.tryHold(2) ? "charged" : "refused";
  }

  @Actor
  public void observer(LL_Result r) {
    r.r2 = budget.liveBytes() <= 3 ? "within" : "exceeded";
  }
}
