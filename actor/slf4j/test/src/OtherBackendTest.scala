package undercroft.actor.slf4j

import internal.{ActorLogger, ActorMdc}
import java.util.concurrent.ConcurrentLinkedQueue
import org.slf4j.event.Level
import org.slf4j.helpers.AbstractLogger
import org.slf4j.spi.{DefaultLoggingEventBuilder, LoggingEventBuilder}
import org.slf4j.{Logger, MarkerFactory, Marker}
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** Loggers of backends that get no events of SLF4J, and one that has a builder of its own. */
class OtherBackendTest extends undercroft.tools.Suite:

  /** A builder of a backend, which searches for the call behind the frames of a class. */
  private final class Builder(notes: ConcurrentLinkedQueue[String], to: Logger, level: Level)
      extends DefaultLoggingEventBuilder(to, level):
    private var boundary = "its own frames"
    override def setCallerBoundary(className: String): Unit = boundary = className
    override def log(message: String): Unit =
      notes.add(s"$message, called behind $boundary"): Unit

  private final class Notes(notes: ConcurrentLinkedQueue[String]) extends AbstractLogger:
    name = "notes"
    override def makeLoggingEventBuilder(level: Level): LoggingEventBuilder =
      Builder(notes, this, level)
    def isTraceEnabled(): Boolean = false
    def isTraceEnabled(marker: Marker): Boolean = false
    def isDebugEnabled(): Boolean = false
    def isDebugEnabled(marker: Marker): Boolean = true
    def isInfoEnabled(): Boolean = true
    def isInfoEnabled(marker: Marker): Boolean = true
    def isWarnEnabled(): Boolean = true
    def isWarnEnabled(marker: Marker): Boolean = true
    def isErrorEnabled(): Boolean = true
    def isErrorEnabled(marker: Marker): Boolean = true
    protected def getFullyQualifiedCallerName(): String = "notes"
    protected def handleNormalizedLoggingCall(
        level: Level,
        marker: Marker | Null,
        message: String | Null,
        arguments: Array[Object] | Null,
        cause: Throwable | Null
    ): Unit =
      val values = Option(arguments).fold("")(_.mkString(","))
      notes.add(s"$level $marker $message [$values] $cause"): Unit
  end Notes

  test("levels, markers, arguments and causes reach it"):
    val notes = ConcurrentLinkedQueue[String]()
    val cause = IllegalStateException("closed")
    val marker = MarkerFactory.getMarker("AUDIT")
    ActorSystem.scoped("shop"):
      spawn(Behavior.setup[Int]:
        val log = ActorLogger(Notes(notes), ActorMdc.of(context))
        Behavior.receive: _ =>
          log.debug("off")
          log.debug(marker, "marked")
          log.info("{} and {}", 1, 2)
          log.error("failed {}", 3, cause)
          Behavior.same) ! 1
    assertEquals(
      notes.asScala.toList,
      List(
        "DEBUG AUDIT marked [] null",
        "INFO null {} and {} [1,2] null",
        s"ERROR null failed {} [3] $cause"
      )
    )

  test("the class behind whose frames a fluent call is found reaches its builder"):
    val notes = ConcurrentLinkedQueue[String]()
    ActorSystem.scoped("shop"):
      spawn(Behavior.setup[Int]:
        val log = ActorLogger(Notes(notes), ActorMdc.of(context))
        Behavior.receive: _ =>
          log.atInfo.addKeyValue("price", 250).log("sold")
          Behavior.same) ! 1
    val boundary = classOf[DefaultLoggingEventBuilder].getName
    assertEquals(notes.asScala.toList, List(s"sold, called behind $boundary"))
end OtherBackendTest
