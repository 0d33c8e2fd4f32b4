package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.actor.SteppedActor;

/** A thread waits for room in a full mailbox just as its owner makes some. */
@JCStressTest
@Description("a sender waits for room in a mailbox while a message is handled")
@Outcome(id = "handled, handled", expect = ACCEPTABLE, desc = "it waited, or found room, and went on")
@Outcome(expect = FORBIDDEN, desc = "the sender waits for ever, or a message was lost")
@State
public class WaitDuringDequeue {
  private final SteppedActor actor = SteppedActor.waiting(1);
  private final SteppedActor.Letter first = SteppedActor.ordinary();
  private final SteppedActor.Letter second = SteppedActor.ordinary();

  @Actor
  public void sender() {
    actor.send(first);
    actor.send(second);
  }

  @Actor
  public void owner() {
    actor.settleTo(2);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r1 = first.end();
    r.r2 = second.end();
  }
}
