package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Two threads look up different keys of 16 bytes in a map that does not change. */
@JCStressTest
@Description("two threads look up different keys in an unchanged map")
@Outcome(id = "7, 77", expect = ACCEPTABLE, desc = "each has the value of its own key")
@Outcome(expect = FORBIDDEN, desc = "the value of another key, or none")
@State
public class ConcurrentLookups {
  @Actor
  public void first(JJ_Result r) {
    r.r1 = Maps.lookUp(7);
  }

  @Actor
  public void second(JJ_Result r) {
    r.r2 = Maps.lookUp(77);
  }
}
