package undercroft.lab.cluster;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The number of messages that did not arrive: a column of the results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class LostMessages {
  public double lost;
}
