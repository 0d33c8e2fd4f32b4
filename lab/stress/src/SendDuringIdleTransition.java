package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.actor.SteppedActor;

/** A message arrives just as the actor's owner finds no more work. */
@JCStressTest
@Description("an actor is sent a message while it goes idle")
@Outcome(id = "idle, handled", expect = ACCEPTABLE, desc = "it came in time for the turn")
@Outcome(id = "due, handled", expect = ACCEPTABLE, desc = "it asked for another turn")
@Outcome(expect = FORBIDDEN, desc = "it waits for ever, or was handled twice")
@State
public class SendDuringIdleTransition {
  private final SteppedActor actor = new SteppedActor(64);
  private final SteppedActor.Letter second = SteppedActor.ordinary();

  public SendDuringIdleTransition() {
    actor.send(SteppedActor.ordinary());
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
  public void after(LL_Result r) {
    r.r1 = actor.isDue() ? "due" : "idle";
    actor.settle();
    r.r2 = second.end();
  }
}
