package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.actor.MailboxFullException;
import undercroft.actor.SteppedActor;

/** Of two threads that wait for room in a full mailbox one is interrupted, perhaps when the place
 * is granted to it already: then it has to pass the place on.
 */
@JCStressTest
@Description("a sender that waits for room is interrupted while messages are handled")
@Outcome(
    id = "handled, handled, handled",
    expect = ACCEPTABLE,
    desc = "there was room before the interrupt")
@Outcome(
    id = "handled, dead, handled",
    expect = ACCEPTABLE,
    desc = "the interrupted sender left, and the other one went on")
@Outcome(expect = FORBIDDEN, desc = "a sender waits for ever, or a message was lost")
@State
public class InterruptWaitDuringDequeue {
  private final SteppedActor actor = SteppedActor.waiting(1);
  private final SteppedActor.Letter first = SteppedActor.ordinary();
  private final SteppedActor.Letter second = SteppedActor.ordinary();
  private final SteppedActor.Letter third = SteppedActor.ordinary();
  private volatile Thread waiting;
  private volatile boolean isInterruptOver;

  public InterruptWaitDuringDequeue() {
    actor.send(first);
  }

  @Actor
  public void interrupted() {
    waiting = Thread.currentThread();
    try {
      actor.send(second);
    } catch (MailboxFullException e) {
      // The letter is dead.
    } finally {
      // No interrupt may reach the next round.
      while (!isInterruptOver) Thread.yield();
      Thread.interrupted();
    }
  }

  @Actor
  public void sender() {
    actor.send(third);
  }

  @Actor
  public void interrupter() {
    Thread thread = waiting;
    if (thread != null) thread.interrupt();
    isInterruptOver = true;
  }

  @Actor
  public void owner() {
    actor.settleUntilEnd(new SteppedActor.Letter[] {first, second, third});
  }

  @Arbiter
  public void after(LLL_Result r) {
    r.r1 = first.end();
    r.r2 = second.end();
    r.r3 = third.end();
  }
}
