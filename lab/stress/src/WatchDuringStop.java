package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.I_Result;
import undercroft.actor.SteppedActor;

/** An actor is watched just as it stops. */
@JCStressTest
@Description("an actor is watched while it stops")
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the watcher was told once")
@Outcome(expect = FORBIDDEN, desc = "the watcher was told twice, or never")
@State
public class WatchDuringStop {
  private final SteppedActor actor = new SteppedActor(64);
  private final SteppedActor watcher = new SteppedActor(64);

  public WatchDuringStop() {
    actor.send(SteppedActor.last());
  }

  @Actor
  public void watcher() {
    actor.watchedBy(watcher);
  }

  @Actor
  public void owner() {
    actor.turn();
  }

  @Arbiter
  public void after(I_Result r) {
    actor.settle();
    watcher.settle();
    r.r1 = watcher.tellings();
  }
}
