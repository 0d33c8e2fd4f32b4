package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.AskedActor;

/** A virtual thread asks an actor of a worker, whose deputy may run it, while a thread and a worker
 * send there too.
 */
@JCStressTest
@Description("a virtual thread asks an actor that other threads send to")
@Outcome(id = "once, in order", expect = ACCEPTABLE, desc = "each was handled once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or by two threads at once")
@State
public class AskDuringSends {
  private final AskedActor actor = new AskedActor();

  @Actor
  public void virtual() {
    actor.ask(1);
  }

  @Actor
  public void thread() {
    actor.send(11);
    actor.send(12);
  }

  @Actor
  public void worker() {
    actor.pass(10);
    actor.pass(20);
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end(6);
  }
}
