package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The owner of a block and another thread free it, after the owner has freed all other blocks of
 * its page; then the owner allocates again. A page has three blocks of this size.
 */
@JCStressTest
@Description("the owner and another thread free the last block of a page; the owner allocates again")
@Outcome(id = "freed, refused, apart", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "refused, freed, apart", expect = ACCEPTABLE, desc = "the other won")
@Outcome(
    id = "freed, freed, apart",
    expect = ACCEPTABLE_INTERESTING,
    desc = "both returned, as Malloc says they may; the block was freed once")
@Outcome(id = "freed, nothing, apart", expect = ACCEPTABLE, desc = "the other came first")
@Outcome(expect = FORBIDDEN, desc = "a page was returned twice, or nobody freed the block")
@State
public class FreeLastBlockTwice {
  private volatile long published;

  @Actor
  public void owner(LLL_Result r) {
    long[] blocks = Blocks.allocate();
    Blocks.freeOthers(blocks);
    published = blocks[1];
    r.r1 = Access.free(blocks[1]);
    r.r3 = Blocks.again();
  }

  @Actor
  public void other(LLL_Result r) {
    long block = awaited();
    r.r2 = block == 0 ? "nothing" : Access.free(block);
  }

  private long awaited() {
    for (int i = 0; i < 10_000 && published == 0; i++) Thread.onSpinWait();
    return published;
  }
}
