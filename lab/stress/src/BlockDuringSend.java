package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.BlockingWorkerActor;

/** A handler blocks in `blocking`, and a thread sends to another actor of its worker. */
@JCStressTest
@Description("a worker blocks while one of its actors is sent messages")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two workers at once")
@State
public class BlockDuringSend {
  private final BlockingWorkerActor actor = new BlockingWorkerActor();

  @Actor
  public void first() {
    actor.block();
  }

  @Actor
  public void thread() {
    actor.send();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(7);
  }
}
