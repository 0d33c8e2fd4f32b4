package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.AskedActor;

/** Two virtual threads ask an actor of a worker, which has one deputy. */
@JCStressTest
@Description("two virtual threads ask one actor")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two threads at once")
@State
public class AskByTwoThreads {
  private final AskedActor actor = new AskedActor();

  @Actor
  public void first() {
    actor.ask(1);
  }

  @Actor
  public void second() {
    actor.ask(11);
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(4);
  }
}
