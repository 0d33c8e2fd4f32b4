package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LLL_Result;
import undercroft.memory.Malloc;

/** The owner of a block and another thread free it; then the owner allocates three more of its
 * size.
 */
@JCStressTest
@Description("the owner of a block and another thread free it; the owner allocates again")
@Outcome(id = "freed, refused, apart", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "refused, freed, apart", expect = ACCEPTABLE, desc = "the other won")
@Outcome(
    id = "freed, freed, apart",
    expect = ACCEPTABLE_INTERESTING,
    desc = "both returned, as Malloc says they may; the block was freed once")
@Outcome(id = "freed, nothing, apart", expect = ACCEPTABLE, desc = "the other came first")
@Outcome(expect = FORBIDDEN, desc = "the slot was given out twice, or nobody freed it")
@State
public class FreeTwiceByOwner {
  private volatile long published;

  @Actor
  public void owner(LLL_Result r) {
    long block = Malloc.allocateBlock(64, 8);
    published = block;
    r.r1 = Access.free(block);
    long a = Malloc.allocateBlock(64, 8);
    long b = Malloc.allocateBlock(64, 8);
    long c = Malloc.allocateBlock(64, 8);
    r.r3 = a != b && b != c && a != c ? "apart" : "same";
    Malloc.free(a);
    if (b != a) Malloc.free(b);
    if (c != a && c != b) Malloc.free(c);
  }

  @Actor
  public void other(LLL_Result r) {
    long block = published;
    r.r2 = block == 0 ? "nothing" : Access.free(block);
  }
}
