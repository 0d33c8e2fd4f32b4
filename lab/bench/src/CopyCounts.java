package undercroft.lab.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** How many bytes growth copied for each byte written: a column of the results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class CopyCounts {
  public double copiedPerByte;

  void of(long copied, long written) {
    copiedPerByte = (double) copied / Math.max(1, written);
  }
}
