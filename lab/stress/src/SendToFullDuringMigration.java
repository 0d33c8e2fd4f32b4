package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.FullMailboxActor;

/** An actor and a thread send to an actor whose mailbox has room for one message. */
@JCStressTest
@Description("messages that wait for a full mailbox keep their order")
@Outcome(id = "in order", expect = ACCEPTABLE, desc = "those that were handled were in order")
@Outcome(expect = FORBIDDEN, desc = "out of order, or never handled")
@State
public class SendToFullDuringMigration {
  private final FullMailboxActor actor = new FullMailboxActor();

  @Actor
  public void worker() {
    actor.pass();
  }

  @Actor
  public void thread() {
    actor.send();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = actor.end();
  }
}
