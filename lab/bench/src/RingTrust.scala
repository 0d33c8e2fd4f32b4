package undercroft.lab.bench

// How much does a message in a ring of actors cost with the counts of the audit and without them, with
// the flight recorder, and with the recording of the time of handlers?

import jdk.jfr.{Configuration, Recording}
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.actor.ActorObservation

/** A call is [[Ring.hops]] new messages round a hundred actors on one worker, as in [[Ring]].
  * Settings that are read when a JVM starts are options of the benchmark's JVM.
  */
@State(Scope.Thread)
class RingTrust extends Measured:
  private var ring: RingOfActors = uninitialized
  private var recording: Option[Recording] = None
  private var isTimed = false

  @Setup def open(): Unit = ring = Rings.open("undercroft-1", 100)

  @TearDown def close(): Unit =
    ring.close()
    recording.foreach(_.close())
    recording = None
    if isTimed then ActorObservation.recordDurations(false)
    isTimed = false

  /** The default: with the counts, and nothing else. */
  @Benchmark @OperationsPerInvocation(Ring.hops) def audited(): Long = passed()

  @Fork(
    value = 3,
    jvmArgs = Array("-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED"),
    jvmArgsAppend = Array("-Dundercroft.actor.audit=off")
  )
  @Benchmark @OperationsPerInvocation(Ring.hops) def notAudited(): Long = passed()

  /** With a recording in the JVM's default settings, which includes our events. */
  @Benchmark @OperationsPerInvocation(Ring.hops) def recorded(): Long =
    if recording.isEmpty then
      val jfr = Recording(Configuration.getConfiguration("default"))
      jfr.start()
      recording = Some(jfr)
    passed()

  @Benchmark @OperationsPerInvocation(Ring.hops) def timed(): Long =
    if !isTimed then
      ActorObservation.recordDurations(true)
      isTimed = true
    passed()

  private def passed(): Long =
    val handled = ring.pass(1, Ring.hops)
    if handled != Ring.hops then
      throw IllegalStateException(s"$handled messages of ${Ring.hops} were handled")
    handled
end RingTrust
