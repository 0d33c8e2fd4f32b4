package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.internal.cage.Cage;
import undercroft.memory.Region;

/** Two threads allocate from one shared region and fill their blocks. */
@JCStressTest
@Description("two threads allocate from one shared region and write to their blocks")
@Outcome(id = "own, own", expect = ACCEPTABLE, desc = "each has bytes of its own")
@Outcome(expect = FORBIDDEN, desc = "a byte was given out twice")
@State
public class ConcurrentAllocations {
  private static final int WORDS = 3;
  private final Region region = Region.shared();
  private long first;
  private long second;

  @Actor
  public void first() {
    first = filled(1);
  }

  @Actor
  public void second() {
    second = filled(2);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r1 = holds(first, 1);
    r.r2 = holds(second, 2);
    region.close();
  }

  private long filled(long value) {
    long block = region.allocateBlock(WORDS * 8, 8);
    for (int i = 0; i < WORDS; i++) Cage.setLong(block, i * 8, value);
    return block;
  }

  private String holds(long block, long value) {
    for (int i = 0; i < WORDS; i++) if (Cage.getLong(block, i * 8) != value) return "other";
    return "own";
  }
}
