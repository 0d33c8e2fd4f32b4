package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.SteppedActor;

/** A child is spawned just as its parent stops its children. */
@JCStressTest
@Description("a child is spawned while its parent stops")
@Outcome(id = "refused", expect = ACCEPTABLE, desc = "the parent was stopping already")
@Outcome(id = "told to stop", expect = ACCEPTABLE, desc = "the child came first")
@Outcome(expect = FORBIDDEN, desc = "the child lives on without a parent")
@State
public class SpawnDuringStop {
  private final SteppedActor parent = new SteppedActor(64);
  private final SteppedActor child = new SteppedActor(64);
  private boolean taken;

  @Actor
  public void spawner() {
    taken = parent.adopt(child);
  }

  @Actor
  public void stopper() {
    parent.stopChildren();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = !taken ? "refused" : child.isStopRequested() ? "told to stop" : "forgotten";
  }
}
