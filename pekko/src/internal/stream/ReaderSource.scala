package undercroft.pekko
package internal.stream

import org.apache.pekko.stream.{ActorAttributes, Attributes, Outlet, SourceShape}
import org.apache.pekko.stream.stage.{GraphStage, GraphStageLogic, OutHandler}
import org.apache.pekko.util.ByteString
import scala.util.control.NonFatal

/** A source of the chunks of a [[SourceReader]], which each materialization opens for itself. An
  * error fails the stream under each supervision strategy, because a read that failed once would
  * fail again.
  */
private[pekko] final class ReaderSource(name: String, open: () => SourceReader)
    extends GraphStage[SourceShape[ByteString]]:
  private val out = Outlet[ByteString](s"$name.out")
  override val shape: SourceShape[ByteString] = SourceShape(out)
  override protected def initialAttributes: Attributes =
    Attributes.name(name).and(ActorAttributes.IODispatcher)

  override def createLogic(attributes: Attributes): GraphStageLogic = Logic()

  private final class Logic extends GraphStageLogic(shape), OutHandler:
    private var reader: SourceReader | Null = null
    setHandler(out, this)

    override def preStart(): Unit =
      guarded:
        reader = open()

    override def onPull(): Unit =
      guarded:
        reader.nn.next() match
          case Some(chunk) => push(out, chunk)
          case None =>
            close()
            completeStage()

    override def onDownstreamFinish(cause: Throwable): Unit =
      guarded:
        close()
        completeStage()

    /** The materializer was shut down, or the stage has ended and its reader is closed. */
    override def postStop(): Unit = close()

    private inline def guarded(inline body: Unit): Unit =
      try body
      catch case NonFatal(cause) => fail(cause)

    private def fail(cause: Throwable): Unit =
      try close()
      catch case NonFatal(other) => if other ne cause then cause.addSuppressed(other)
      failStage(cause)

    /** Closes the reader, at most once. */
    private def close(): Unit =
      val opened = reader
      reader = null
      if opened ne null then opened.close()
  end Logic
end ReaderSource
