package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.actor.SteppedActor;

/** A reply arrives just as the ask times out. */
@JCStressTest
@Description("a reply races with the timeout of its ask")
@Outcome(id = "answer", expect = ACCEPTABLE, desc = "it came in time")
@Outcome(id = "late", expect = ACCEPTABLE, desc = "it came too late")
@Outcome(expect = FORBIDDEN, desc = "the ask ended twice, or never")
@State
public class ReplyDuringTimeout {
  private final SteppedActor.Question question = new SteppedActor.Question();

  @Actor
  public void answer() {
    question.answer();
  }

  @Actor
  public void giveUp() {
    question.giveUp();
  }

  @Arbiter
  public void after(L_Result r) {
    r.r1 = question.end();
  }
}
