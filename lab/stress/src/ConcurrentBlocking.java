package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.BlockingWorkerActor;

/** Two handlers of one worker block in `blocking`, one after another or at once. */
@JCStressTest
@Description("two actors of one worker block")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two workers at once")
@State
public class ConcurrentBlocking {
  private final BlockingWorkerActor actor = new BlockingWorkerActor();

  @Actor
  public void first() {
    actor.block();
  }

  @Actor
  public void second() {
    actor.blockToo();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(8);
  }
}
