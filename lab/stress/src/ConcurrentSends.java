package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLI_Result;
import undercroft.actor.SteppedActor;

/** Two threads send to an idle actor. */
@JCStressTest
@Description("two threads send to an idle actor")
@Outcome(id = "handled, handled, 1", expect = ACCEPTABLE, desc = "both, and one woke it")
@Outcome(expect = FORBIDDEN, desc = "one was lost, or handled twice, or it was woken twice or never")
@State
public class ConcurrentSends {
  private final SteppedActor actor = new SteppedActor(64);
  private final SteppedActor.Letter first = SteppedActor.ordinary();
  private final SteppedActor.Letter second = SteppedActor.ordinary();

  @Actor
  public void first() {
    actor.send(first);
  }

  @Actor
  public void second() {
    actor.send(second);
  }

  @Arbiter
  public void after(LLI_Result r) {
    r.r3 = actor.wakeCount();
    actor.settle();
    r.r1 = first.end();
    r.r2 = second.end();
  }
}
