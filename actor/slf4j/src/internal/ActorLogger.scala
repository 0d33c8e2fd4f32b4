package undercroft.actor.slf4j
package internal

import org.slf4j.{Logger, Marker}
import org.slf4j.event.{Level, LoggingEvent}
import org.slf4j.helpers.AbstractLogger
import org.slf4j.spi.{CallerBoundaryAware, LocationAwareLogger, LoggingEventAware}

/** Passes enabled calls to another logger, with the values of an actor in the MDC. */
private[slf4j] final class ActorLogger(to: Logger, mdc: ActorMdc)
    extends AbstractLogger,
      LoggingEventAware:
  import ActorLogger.given
  name = to.getName

  def isTraceEnabled(): Boolean = to.isTraceEnabled
  def isTraceEnabled(marker: Marker): Boolean = to.isTraceEnabled(marker)
  def isDebugEnabled(): Boolean = to.isDebugEnabled
  def isDebugEnabled(marker: Marker): Boolean = to.isDebugEnabled(marker)
  def isInfoEnabled(): Boolean = to.isInfoEnabled
  def isInfoEnabled(marker: Marker): Boolean = to.isInfoEnabled(marker)
  def isWarnEnabled(): Boolean = to.isWarnEnabled
  def isWarnEnabled(marker: Marker): Boolean = to.isWarnEnabled(marker)
  def isErrorEnabled(): Boolean = to.isErrorEnabled
  def isErrorEnabled(marker: Marker): Boolean = to.isErrorEnabled(marker)

  /** The class whose frames a backend skips to find the location of a call. */
  protected def getFullyQualifiedCallerName(): String = ActorLogger.CallerName

  /** Passes an event of the fluent calls, with its key-value pairs, markers and location. */
  def log(event: LoggingEvent): Unit = mdc.around:
    to match
      case aware: LoggingEventAware => aware.log(event)
      case _ =>
        val builder = to.makeLoggingEventBuilder(event.getLevel).nn
        builder match
          case aware: CallerBoundaryAware =>
            Option(event.getCallerBoundary).foreach(aware.setCallerBoundary)
          case _ => ()
        each(event.getMarkers)(builder.addMarker)
        each(event.getKeyValuePairs)(pair => builder.addKeyValue(pair.key, pair.value))
        each(event.getArguments)(builder.addArgument)
        Option(event.getThrowable).foreach(builder.setCause)
        builder.log(event.getMessage)

  private def each[A](values: java.util.List[A] | Null)(use: A => Any): Unit =
    Option(values).foreach(_.forEach(value => use(value): Unit))

  protected def handleNormalizedLoggingCall(
      level: Level,
      marker: Marker | Null,
      message: String | Null,
      arguments: Array[Object] | Null,
      cause: Throwable | Null
  ): Unit = mdc.around:
    to match
      case located: LocationAwareLogger =>
        located.log(marker, ActorLogger.CallerName, level.toInt, message, arguments, cause)
      case _ =>
        // A throwable behind the arguments is the cause.
        val values = Option(arguments).fold(Array.empty[Object])(_.clone) ++ Option[Object](cause)
        level match
          case Level.TRACE => to.trace(marker, message, values*)
          case Level.DEBUG => to.debug(marker, message, values*)
          case Level.INFO  => to.info(marker, message, values*)
          case Level.WARN  => to.warn(marker, message, values*)
          case Level.ERROR => to.error(marker, message, values*)
end ActorLogger

private[slf4j] object ActorLogger:
  private given CanEqual[Level, Level] = CanEqual.derived
  private val CallerName = classOf[AbstractLogger].getName
