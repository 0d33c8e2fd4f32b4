package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The owner of a block and another thread free it, while its page is full; then the owner frees the
 * rest of the page and allocates again. A page has three blocks of this size.
 */
@JCStressTest
@Description("the owner of a block in a full page and another thread free it; the owner allocates again")
@Outcome(id = "freed, refused, apart", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "refused, freed, apart", expect = ACCEPTABLE, desc = "the other won")
@Outcome(id = "freed, nothing, apart", expect = ACCEPTABLE, desc = "the other came first")
@Outcome(expect = FORBIDDEN, desc = "the block was freed twice or by nobody, or given out twice")
@State
public class FreeTwiceInFullPage {
  private volatile long published;

  @Actor
  public void owner(LLL_Result r) {
    long[] blocks = Blocks.allocate();
    published = blocks[1];
    r.r1 = Access.free(blocks[1]);
    Blocks.freeOthers(blocks);
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
