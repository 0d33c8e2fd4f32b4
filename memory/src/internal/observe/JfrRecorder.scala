package undercroft.memory
package internal.observe

import internal.platform.LoaderLifetime
import java.lang.invoke.{MethodHandles, MethodType}
import jdk.jfr.{Event, FlightRecorder, FlightRecorderListener}

/** The JVM's flight recorder, whose callbacks keep no class loader alive. Loading this class loads
  * the recorder's classes.
  */
private[undercroft] object JfrRecorder:
  /** Calls the listener when the recorder starts, or at once if it has started. */
  def addListener(listener: FlightRecorderListener): Unit =
    if FlightRecorder.isAvailable then
      FlightRecorder.addListener(LoaderLifetime.weak(classOf[FlightRecorderListener], listener))

  /** Emits an event in its period, until this loader is closed or unreachable. */
  def addPeriodicEvent(event: Class[? <: Event], emit: () => Unit): Unit =
    val action = Emission(emit).action
    FlightRecorder.addPeriodicEvent(event, action)
    LoaderLifetime.afterUnload:
      MethodHandles.publicLookup
        .findStatic(
          classOf[FlightRecorder],
          "removePeriodicEvent",
          MethodType.methodType(classOf[Boolean], classOf[Runnable])
        )
        .bindTo(action)

  private final class Emission(emit: () => Unit) extends Runnable:
    val action: Runnable = LoaderLifetime.weak(this)

    /** A closed loader lives on, but cannot load a class that the event needs first now: the
      * recorder would print a warning in each period.
      */
    def run(): Unit =
      try emit()
      catch
        case _: NoClassDefFoundError if !LoaderLifetime.isPermanent =>
          FlightRecorder.removePeriodicEvent(action): Unit
  end Emission
end JfrRecorder
