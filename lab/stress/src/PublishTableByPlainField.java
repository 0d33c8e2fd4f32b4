package undercroft.lab.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.*;
import org.openjdk.jcstress.infra.results.L_Result;
import undercroft.memory.Region;

/** As {@link PublishTable}, but through a plain field: a data race in user code. */
@JCStressTest
@Description("a table is filled and published through a plain field: a data race of the user's")
@Outcome(id = "nothing", expect = ACCEPTABLE, desc = "the look came before the store")
@Outcome(id = "own", expect = ACCEPTABLE, desc = "the rows were there already")
@Outcome(id = "zero", expect = ACCEPTABLE_INTERESTING, desc = "the rows were not there yet: zeroed memory")
@Outcome(expect = FORBIDDEN, desc = "a table that is not whole, or another's bytes")
@State
public class PublishTableByPlainField {
  private static final int LOOKS = 1000;
  private static final VarHandle TABLE = handle();
  private final Region region = Region.shared();
  private Tables.Ticks table;

  @Actor
  public void maker() {
    table = Tables.filled(region, Access.OWN);
  }

  @Actor
  public void reader(L_Result r) {
    Tables.Ticks ticks = look();
    for (int i = 0; ticks == null && i < LOOKS; i++) ticks = look();
    r.r1 = ticks == null ? "nothing" : Access.word(ticks.last());
  }

  @Arbiter
  public void after() {
    region.close();
  }

  /** As a plain read, but not hoisted out of a loop. */
  private Tables.Ticks look() {
    return (Tables.Ticks) TABLE.getOpaque(this);
  }

  private static VarHandle handle() {
    try {
      return MethodHandles.lookup()
          .findVarHandle(PublishTableByPlainField.class, "table", Tables.Ticks.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
