package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.buffer.SharedBuffer;

/** Two threads clear and write a buffer without a lock. Other buffers of its pool are unharmed. */
@JCStressTest
@Description("two threads clear and write the same buffer without a lock")
@Outcome(id = "empty, own", expect = ACCEPTABLE, desc = "clear repairs it, and others have their bytes")
@Outcome(expect = FORBIDDEN, desc = "a segment in two buffers, or bytes after clear")
@State
public class ClearByTwoThreads {
  private final SharedBuffer buffer = new SharedBuffer();

  @Actor
  public void first() {
    buffer.clearAndWrite();
  }

  @Actor
  public void second() {
    buffer.clearAndWrite();
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r1 = buffer.cleared();
    r.r2 = buffer.others();
  }
}
