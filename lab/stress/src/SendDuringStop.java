package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.SteppedActor;

/** A message arrives just as the actor stops. */
@JCStressTest
@Description("an actor is sent a message while it stops")
@Outcome(id = "dead", expect = ACCEPTABLE, desc = "it is a dead letter, once")
@Outcome(expect = FORBIDDEN, desc = "it was lost, handled after the end, or buried twice")
@State
public class SendDuringStop {
  private final SteppedActor actor = new SteppedActor(64);
  private final SteppedActor.Letter second = SteppedActor.ordinary();

  public SendDuringStop() {
    actor.send(SteppedActor.last());
  }

  @Actor
  public void sender() {
    actor.send(second);
  }

  @Actor
  public void owner() {
    actor.turn();
  }

  @Arbiter
  public void after(L_Result r) {
    actor.settle();
    r.r1 = second.end();
  }
}
