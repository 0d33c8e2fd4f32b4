package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.J_Result;

/** A plain field is stored, and then a flag by release; another thread reads them by acquire. */
@JCStressTest
@Description("a plain field of a struct is published by a flag stored by release, read by acquire")
@Outcome(id = "-1", expect = ACCEPTABLE, desc = "the flag was not seen yet")
@Outcome(id = "7", expect = ACCEPTABLE, desc = "who sees the flag sees the field")
@Outcome(expect = FORBIDDEN, desc = "the flag without the field")
@State
public class PublishByRelease {
  private final AtomicFields.Shared counters = new AtomicFields.Shared();

  @Actor
  public void writer() {
    counters.publish(7);
  }

  @Actor
  public void reader(J_Result r) {
    r.r1 = counters.seen();
  }

  @Arbiter
  public void after() {
    counters.close();
  }
}
