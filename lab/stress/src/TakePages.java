package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.LL_Result;
import undercroft.memory.internal.alloc.PagePool;
import undercroft.memory.PooledPages;

/** Two threads take a page from the pool; one of them has just returned one. */
@JCStressTest
@Description("two threads take pages from the pool, one of which was just released")
@Outcome(id = "apart, own", expect = ACCEPTABLE, desc = "each has a page of its own")
@Outcome(expect = FORBIDDEN, desc = "a page was given out twice")
@State
public class TakePages {
  private long first;
  private long second;

  @Actor
  public void first() {
    long page = PooledPages.page();
    PooledPages.release(page);
    first = Access.write(PooledPages.page(), Access.OWN);
  }

  @Actor
  public void second() {
    second = Access.write(PooledPages.page(), Access.FOREIGN);
  }

  @Arbiter
  public void after(LL_Result r) {
    r.r1 = PagePool.page(first) != PagePool.page(second) ? "apart" : "same";
    r.r2 = Access.read(first).equals("own") && Access.read(second).equals("foreign") ? "own" : "other";
    PooledPages.release(first);
    PooledPages.release(second);
  }
}
