package undercroft.actor

import internal.cell.{ActorCell, InternalMessage}

/** Decides the outcome of a message whose handler failed: see [[Behavior.onMessageFailure]]. The
  * outcome of the actor is decided separately, by [[Supervision]].
  *
  * {{{
  * def books: Behavior[Int] = Behavior
  *   .receive[Int] { amount =>
  *     if amount < 0 then throw IllegalArgumentException("amount must be at least 0")
  *     Behavior.same
  *   }
  *   .onMessageFailure { case _: IllegalArgumentException => MessageFailure.Park }
  *   .supervised { case _: IllegalArgumentException => Supervision.Resume }
  * }}}
  */
enum MessageFailure derives CanEqual:
  /** The message is dropped and counted as failed. This is the default. */
  case Drop

  /** The message is handled again, before all waiting messages, after the actor has resumed or
    * restarted. Until then it counts as stashed. So is the command of a persistent actor whose
    * events could not be stored. If it fails `times` more times, or the actor stops, `otherwise`
    * decides. So it does at once for a message to a process that the function of an adapter or of
    * `pipeToSelf` fails to convert. `times` is at least 0.
    *
    * {{{
    * def sender(send: String => Unit): Behavior[String] = Behavior
    *   .receive[String] { text =>
    *     send(text)
    *     Behavior.same
    *   }
    *   .onMessageFailure { case _: java.io.IOException =>
    *     MessageFailure.Retry(times = 3, otherwise = MessageFailure.Park)
    *   }
    *   .supervised { case _: java.io.IOException => Supervision.Resume }
    * }}}
    */
  case Retry(times: Int = 3, otherwise: MessageFailure = MessageFailure.Drop)
      extends MessageFailure,
      RetryLimit

  /** The message is counted as failed and kept, with its cause and the description of the actor's
    * state, until [[ActorSystem.drainParked]] removes it.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def books: Behavior[Int] = Behavior
    *   .receive[Int](n => throw IllegalStateException(s"no account $n"))
    *   .onMessageFailure { case _: IllegalStateException => MessageFailure.Park }
    *   .supervised { case _: IllegalStateException => Supervision.Resume }
    * val system = ActorSystem("bank", listener = _ => ())
    * spawn(books)(using system) ! 7
    * system.awaitQuiescence(10.seconds)
    * println(system.drainParked().map(_.message)) // Vector(7)
    * system.close()
    * }}}
    */
  case Park

  /** The message is counted as failed, and the parent receives a [[Signal.MessageFailed]]. For a
    * child of the guardian it is parked instead, because no code would handle the signal.
    */
  case ToParent

  /** The decision after `failures` failures of the message. */
  private[actor] def after(failures: Int, mayRetry: Boolean): MessageFailure = this match
    case Retry(times, otherwise) if !mayRetry || failures > times =>
      if otherwise == null then Drop else otherwise.after(failures - times, mayRetry)
    case decided => decided
end MessageFailure

/** Checks the number of retries. */
private[actor] sealed trait RetryLimit:
  def times: Int
  requireNotNegative("times", times)

/** A message that failed and is kept for inspection. That of an adapter
  * ([[ActorContext.messageAdapter]]) or of `pipeToSelf` is the one before its conversion.
  *
  * {{{
  * def retry(system: ActorSystem): Unit =
  *   for parked <- system.drainParked() do parked.resend()
  * }}}
  */
final case class ParkedMessage(
    actor: ActorRef[Nothing],
    message: Any,
    cause: Throwable,
    state: String
) derives CanEqual:

  /** The internal message that contains `message`, if there is one. */
  private var source: InternalMessage | Null = null

  /** Sends the message to its actor again, as a new message. That of an adapter or of `pipeToSelf`
    * is converted again, unless this is a copy.
    *
    * {{{
    * def retry(system: ActorSystem): Unit =
    *   for parked <- system.drainParked() if parked.cause.isInstanceOf[java.io.IOException] do
    *     parked.resend()
    * }}}
    */
  def resend(): Unit = (actor, source) match
    case (cell: ActorCell[?], source: InternalMessage) => cell.tellBounded(source)
    case _ => actor.asInstanceOf[ActorRef[Any]].tell(message)
end ParkedMessage

object ParkedMessage:
  private[actor] def of(
      cell: ActorCell[?],
      keptMessage: AnyRef,
      content: AnyRef,
      cause: Throwable,
      stateText: String
  ): ParkedMessage =
    val parked = ParkedMessage(cell, content, cause, stateText)
    parked.source = InternalMessage.source(keptMessage)
    parked
