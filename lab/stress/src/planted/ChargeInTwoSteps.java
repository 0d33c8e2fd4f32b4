package undercroft.lab.stress.planted;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A planted bug: a budget that checks first and adds afterwards. */
@JCStressTest
@Description("planted: a budget that checks before it adds")
@Outcome(id = {"charged, refused", "refused, charged"}, expect = ACCEPTABLE, desc = "as if nothing were wrong")
@Outcome(id = "charged, charged", expect = FORBIDDEN, desc = "more than the budget holds: the mistake is seen")
@State
public class ChargeInTwoSteps {
  private volatile long live;

  @Actor
  public void first(LL_Result r) {
    r.r1 = charge(2);
  }

  @Actor
  public void second(LL_Result r) {
    r.r2 = charge(2);
  }

  private String charge(long bytes) {
    if (live + bytes > 3) return "refused";
    live = live + bytes;
    return "charged";
  }
}
