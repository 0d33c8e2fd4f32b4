package undercroft.actor
package internal.observe

import jdk.jfr.{
  Category,
  Description,
  Enabled,
  Event as RecordedEvent,
  Label,
  Name,
  Period,
  StackTrace,
  Throttle,
  Timespan
}

/** An actor failed. */
@Name("dev.undercroft.ActorFailed")
@Label("Actor Failed")
@Category(Array("Undercroft", "Actors"))
@Description("A handler threw an exception; the supervision decision")
@StackTrace(false)
@Throttle("100/s")
private[actor] final class ActorFailedEvent extends RecordedEvent:
  @Label("Actor") var actor: String | Null = null
  @Label("Cause") var cause: String | Null = null
  @Label("Decision") var decision: String | Null = null

/** A message was not handled. Only its class is recorded, because its content is user data. */
@Name("dev.undercroft.DeadLetter")
@Label("Dead Letter")
@Category(Array("Undercroft", "Actors"))
@Description("A message that was not handled")
@StackTrace(false)
@Throttle("100/s")
private[actor] final class DeadLetterEvent extends RecordedEvent:
  @Label("Actor") var actor: String | Null = null
  @Label("Message") @Description("Its class") var message: String | Null = null
  @Label("Reason") var reason: String | Null = null

/** A message failed and was parked, or a parked message was discarded to make room for another. */
@Name("dev.undercroft.MessageParked")
@Label("Message Parked")
@Category(Array("Undercroft", "Actors"))
@Description("A message that failed and is kept")
@StackTrace(false)
@Throttle("100/s")
private[actor] final class MessageParkedEvent extends RecordedEvent:
  @Label("Actor") var actor: String | Null = null
  @Label("Message") @Description("Its class") var message: String | Null = null
  @Label("State") @Description("Of the actor, as text") var state: String | Null = null
  @Label("Kept") @Description("False if discarded for a newer one") var isKept: Boolean = false

/** A handler stalls. */
@Name("dev.undercroft.ActorStalled")
@Label("Actor Stalled")
@Category(Array("Undercroft", "Actors"))
@Description("A handler runs for so long that it delays the other actors of its worker")
@StackTrace(false)
private[actor] final class ActorStalledEvent extends RecordedEvent:
  @Label("Actor") var actor: String | Null = null
  @Label("Duration") @Description("At least") @Timespan(Timespan.NANOSECONDS) var nanos: Long = 0
  @Label("State") @Description("Of the thread") var state: String | Null = null
  @Label("Stack") @Description("Of the thread") var stack: String | Null = null

/** A handler took ten milliseconds or more. Off by default: a recording that enables it when it
  * starts has all handlers measured, which costs two clock readings per message.
  */
@Name("dev.undercroft.SlowHandler")
@Label("Slow Handler")
@Category(Array("Undercroft", "Actors"))
@Description("The handler of a message took ten milliseconds or more")
@StackTrace(false)
@Enabled(false)
private[actor] final class SlowHandlerEvent extends RecordedEvent:
  @Label("Actor") var actor: String | Null = null
  @Label("Handler Duration") @Timespan(Timespan.NANOSECONDS) var nanos: Long = 0

/** Periodic counts of one actor system. Cost: O(actors). */
@Name("dev.undercroft.ActorSystem")
@Label("Actor System")
@Category(Array("Undercroft", "Actors"))
@Description("Counts of all messages since the start, by outcome")
@StackTrace(false)
@Period("10 s")
private[actor] final class ActorSystemEvent extends RecordedEvent:
  @Label("System") var system: String | Null = null
  @Label("Actors") var actors: Long = 0
  @Label("Sent") var sent: Long = 0
  @Label("Handled") var handled: Long = 0
  @Label("Failed") var failed: Long = 0
  @Label("Stashed") var stashed: Long = 0
  @Label("Waiting") var waiting: Long = 0
  @Label("Dead Letters") var dead: Long = 0
  @Label("Restarts") var restarts: Long = 0
