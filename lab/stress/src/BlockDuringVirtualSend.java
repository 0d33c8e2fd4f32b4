package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.BlockingWorkerActor;

/** Two handlers of one worker block in `blocking`, and a virtual thread sends to a third actor. */
@JCStressTest
@Description("two actors block on their worker while a virtual thread sends to a third")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two workers at once")
@State
public class BlockDuringVirtualSend {
  private final BlockingWorkerActor actor = new BlockingWorkerActor();

  @Actor
  public void first() {
    actor.block();
  }

  @Actor
  public void second() {
    actor.blockToo();
  }

  @Actor
  public void virtual() {
    actor.sendVirtually();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(11);
  }
}
