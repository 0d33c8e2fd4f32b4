package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.Malloc;

/** One thread reads a block of Malloc while its owner frees it and allocates the same slot again.
 */
@JCStressTest
@Description("a block is freed and its slot used again while another thread reads it")
@Outcome(id = "nothing, refused", expect = ACCEPTABLE, desc = "the read came before the block")
@Outcome(id = "own, refused", expect = ACCEPTABLE, desc = "the read came before the free")
@Outcome(id = "refused, refused", expect = ACCEPTABLE, desc = "the read came after the free")
@Outcome(expect = FORBIDDEN, desc = "another's bytes, or a reference that outlives its block")
@State
public class ReadFreedBlock {
  private volatile long published;
  private long next;

  @Actor
  public void reader(LL_Result r) {
    long block = published;
    r.r1 = block == 0 ? "nothing" : Access.read(block);
  }

  @Actor
  public void owner() {
    long block = Access.write(Malloc.allocateBlock(64, 8), Access.OWN);
    published = block;
    Malloc.free(block);
    next = Access.write(Malloc.allocateBlock(64, 8), Access.FOREIGN);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r2 = Access.read(published);
    Malloc.free(next);
  }
}
