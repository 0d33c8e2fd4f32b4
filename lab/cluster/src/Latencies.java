package undercroft.lab.cluster;

import java.util.Arrays;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The time that 999 of 1000 messages take at most, in nanoseconds: a column of the results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Latencies {
  public double nanosOf999;

  void of(long[] nanos) {
    Arrays.sort(nanos);
    nanosOf999 = nanos[(int) (nanos.length * 0.999)];
  }
}
