package undercroft.lab.stress.planted;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.lab.stress.Scopes;
import undercroft.memory.StaleReferenceException;

/** A planted bug: a read that checks first and reads afterwards. */
@JCStressTest
@Description("planted: a read that checks before it reads instead of afterwards")
@Outcome(id = {"nothing", "own", "refused"}, expect = ACCEPTABLE, desc = "as if nothing were wrong")
@Outcome(id = "foreign", expect = FORBIDDEN, desc = "another's bytes: the mistake is seen")
@State
public class CheckThenRead {
  private static final long OWN = 1;
  private static final long FOREIGN = 2;
  private volatile long published;

  @Actor
  public void reader(L_Result r) {
    long block = published;
    r.r1 = block == 0 ? "nothing" : read(block);
  }

  @Actor
  public void scopes() {
    for (int i = 0; i < 4; i++) {
      Scopes.publish(OWN, block -> published = block);
      Scopes.publish(FOREIGN, block -> {});
    }
  }

  private static String read(long block) {
    try {
      long value = Scopes.checkThenRead(block);
      return value == OWN ? "own" : value == FOREIGN ? "foreign" : "refused";
    } catch (StaleReferenceException e) {
      return "refused";
    }
  }
}
