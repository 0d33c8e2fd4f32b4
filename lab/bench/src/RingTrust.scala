package undercroft.lab.bench

// What does a message in a ring of actors cost with the counts of the audit and without them, while
// the flight recorder runs, while the time of turns is taken, and with the causes of all messages?

import jdk.jfr.{Configuration, Recording}
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.actor.ActorSystem

/** A call is [[Ring.hops]] messages round a hundred actors on one worker, each made anew, as in
  * [[Ring]]. What is decided when a JVM starts is an option of the benchmark's JVM.
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
    if isTimed then ActorSystem.timeHandlers(false)
    isTimed = false

  /** As everybody has it: with the counts, and nothing else. */
  @Benchmark @OperationsPerInvocation(Ring.hops) def audited(): Long = passed()

  @Fork(
    value = 3,
    jvmArgs = Array("-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED"),
    jvmArgsAppend = Array("-Dundercroft.actor.audit=off")
  )
  @Benchmark @OperationsPerInvocation(Ring.hops) def notAudited(): Long = passed()

  /** With a recording of the JVM's default settings, which takes our events too. */
  @Benchmark @OperationsPerInvocation(Ring.hops) def recorded(): Long =
    if recording.isEmpty then
      val one = Recording(Configuration.getConfiguration("default"))
      one.start()
      recording = Some(one)
    passed()

  @Benchmark @OperationsPerInvocation(Ring.hops) def timed(): Long =
    if !isTimed then
      ActorSystem.timeHandlers(true)
      isTimed = true
    passed()

  @Fork(
    value = 3,
    jvmArgs = Array("-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED"),
    jvmArgsAppend = Array("-Dundercroft.actor.causes=on")
  )
  @Benchmark @OperationsPerInvocation(Ring.hops) def explained(): Long = passed()

  private def passed(): Long =
    val handled = ring.pass(1, Ring.hops)
    if handled != Ring.hops then
      throw IllegalStateException(s"$handled messages of ${Ring.hops} were handled")
    handled
end RingTrust
