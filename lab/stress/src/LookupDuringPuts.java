package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A thread looks up a key of a map while another adds entries. */
@JCStressTest
@Description("a thread looks up a key of a map while another adds entries")
@Outcome(id = "(right|rejected), put, intact", expect = ACCEPTABLE, desc = "its value, or none")
@Outcome(expect = FORBIDDEN, desc = "another value, or a key that was lost")
@State
public class LookupDuringPuts {
  private final Maps.SharedMap map = new Maps.SharedMap();

  @Actor
  public void reader(LLL_Result r) {
    r.r1 = map.look();
  }

  @Actor
  public void writer(LLL_Result r) {
    r.r2 = map.put(10_000);
  }

  @Arbiter
  public void end(LLL_Result r) {
    r.r3 = map.end();
  }
}
