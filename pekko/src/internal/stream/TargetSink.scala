package undercroft.pekko
package internal.stream

import org.apache.pekko.stream.{AbruptStageTerminationException, Attributes, Inlet, SinkShape}
import org.apache.pekko.stream.stage.{
  GraphStageLogic,
  GraphStageWithMaterializedValue,
  InHandler
}
import scala.concurrent.{Future, Promise}
import scala.util.control.NonFatal

/** A sink that passes elements to a [[Target]], which each materialization opens for itself. An
  * element is requested when the target has stored the previous one. Its value is the sum of the
  * stored bytes or rows; it is complete after the target was closed.
  */
private[pekko] final class TargetSink[A](name: String, open: () => Target[A])
    extends GraphStageWithMaterializedValue[SinkShape[A], Future[Long]]:
  private val in = Inlet[A](s"$name.in")
  override val shape: SinkShape[A] = SinkShape(in)
  override protected def initialAttributes: Attributes = Attributes.name(name)

  override def createLogicAndMaterializedValue(
      attributes: Attributes
  ): (GraphStageLogic, Future[Long]) =
    val result = Promise[Long]()
    (Logic(result), result.future)

  private final class Logic(result: Promise[Long]) extends GraphStageLogic(shape), InHandler:
    private var target: Target[A] | Null = null
    private var stored = 0L
    setHandler(in, this)

    override def preStart(): Unit =
      guarded:
        target = open()
        pull(in)

    override def onPush(): Unit =
      guarded:
        stored += target.nn.write(grab(in))
        pull(in)

    override def onUpstreamFinish(): Unit =
      guarded:
        target.nn.complete()
        close()
        result.success(stored): Unit
        completeStage()

    override def onUpstreamFailure(cause: Throwable): Unit = fail(cause)

    /** The materializer was shut down. */
    override def postStop(): Unit =
      if !result.isCompleted then end(AbruptStageTerminationException(this))

    private inline def guarded(inline body: Unit): Unit =
      try body
      catch case NonFatal(cause) => fail(cause)

    private def fail(cause: Throwable): Unit =
      end(cause)
      failStage(cause)

    private def end(cause: Throwable): Unit =
      try close()
      catch case NonFatal(other) => if other ne cause then cause.addSuppressed(other)
      result.tryFailure(cause): Unit

    /** Closes the target, at most once. */
    private def close(): Unit =
      val opened = target
      target = null
      if opened ne null then opened.close()
  end Logic
end TargetSink
