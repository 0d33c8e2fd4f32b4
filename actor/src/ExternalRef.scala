package undercroft.actor

import scala.concurrent.Future

/** A reference that is not an actor of its system: an actor of another runtime, or a message
  * adapter ([[ActorContext.messageAdapter]]). Thread-safe.
  *
  * It can be sent to, watched and asked like any other. An ask of it ends by its reply or by its
  * timeout: the system does not see whether the other runtime dropped the message. It cannot be
  * linked. Modules that connect a runtime, such as `undercroft-pekko`, create it.
  *
  * {{{
  * def place(ref: ActorRef[Nothing]): String = ref match
  *   case external: ExternalRef[?] => s"${external.name} is an adapter, or of another runtime"
  *   case _                        => s"${ref.name} is an actor of this process"
  * }}}
  */
abstract class ExternalRef[-T] private[undercroft] (private[actor] val system: ActorSystem)
    extends ActorRef[T]:

  /** A local actor that stops when the external one has stopped; called when it is watched, or to
    * check that it can be.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it cannot be watched
    */
  private[undercroft] def lifetime: ActorRef[Nothing]

  def whenStopped: Future[Unit] = lifetime.whenStopped

  /** The reply to send in a message of an ask, whose result ends `reply`: another one if the way
    * back leads through a network.
    */
  private[undercroft] def replyVia[R](reply: Reply[R]): Reply[R] = reply
