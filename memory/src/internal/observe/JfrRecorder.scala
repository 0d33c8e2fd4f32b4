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

  /** Emits an event in its period, until this loader is unreachable. */
  def addPeriodicEvent(event: Class[? <: Event], emit: () => Unit): Unit =
    val action = LoaderLifetime.weak((() => emit()): Runnable)
    FlightRecorder.addPeriodicEvent(event, action)
    LoaderLifetime.afterUnload:
      MethodHandles.publicLookup
        .findStatic(
          classOf[FlightRecorder],
          "removePeriodicEvent",
          MethodType.methodType(classOf[Boolean], classOf[Runnable])
        )
        .bindTo(action)
end JfrRecorder
