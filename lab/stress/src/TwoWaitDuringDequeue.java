package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.actor.SteppedActor;

/** Two threads wait for room in a mailbox with one place just as its owner makes some. Each handled
 * message makes one place, which wakes one of them.
 */
@JCStressTest
@Description("two senders wait for room in a mailbox while messages are handled")
@Outcome(
    id = "handled, handled, handled",
    expect = ACCEPTABLE,
    desc = "each of them waited, or found room, and went on")
@Outcome(expect = FORBIDDEN, desc = "a sender waits for ever, or a message was lost")
@State
public class TwoWaitDuringDequeue {
  private final SteppedActor actor = SteppedActor.waiting(1);
  private final SteppedActor.Letter first = SteppedActor.ordinary();
  private final SteppedActor.Letter second = SteppedActor.ordinary();
  private final SteppedActor.Letter third = SteppedActor.ordinary();

  public TwoWaitDuringDequeue() {
    actor.send(first);
  }

  @Actor
  public void sender() {
    actor.send(second);
  }

  @Actor
  public void otherSender() {
    actor.send(third);
  }

  @Actor
  public void owner() {
    actor.settleTo(3);
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r1 = first.end();
    r.r2 = second.end();
    r.r3 = third.end();
  }
}
