package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.actor.SteppedActor;

/** Two threads send to a mailbox that has room for one message. */
@JCStressTest
@Description("two threads send to a mailbox with one free place")
@Outcome(id = "handled, dead", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "dead, handled", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "both fitted, or none")
@State
public class ConcurrentSendsAtLimit {
  private final SteppedActor actor = new SteppedActor(1);
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
  public void after(LL_Result r) {
    actor.settle();
    r.r1 = first.end();
    r.r2 = second.end();
  }
}
