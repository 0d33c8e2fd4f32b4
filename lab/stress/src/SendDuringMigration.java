package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.MigratingActor;

/** A worker sends to another worker's actor, which may migrate to it, while a thread sends there
 * too.
 */
@JCStressTest
@Description("an actor is sent messages while it moves from worker to worker")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two workers at once")
@State
public class SendDuringMigration {
  private final MigratingActor actor = new MigratingActor();

  @Actor
  public void thread() {
    actor.send(1);
    actor.send(2);
    actor.send(3);
  }

  @Actor
  public void worker() {
    actor.pass(10);
    actor.pass(11);
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(5);
  }
}
