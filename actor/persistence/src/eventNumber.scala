package undercroft.actor
package persistence

/** The number of an event, as the handlers of one persistent actor see it: see [[eventNumber]]. A
  * method that a handler calls has the parameter `(using EventNumber)`.
  */
final class EventNumber private[persistence] ():
  private[persistence] var value = 0L

/** The number of the event that an event handler applies. In a command handler or an action, the
  * number of the last stored event; 0 if there is none. The events of a persistence id have the
  * numbers 1, 2, 3 and so on, also in the files of a journal. Actor's thread only.
  *
  * {{{
  * import undercroft.actor.*
  * import undercroft.struct.*
  * final case class Book(to: ActorRef[Long])
  * final case class Booked(amount: Long) derives Struct
  * final case class Sum(amount: Long, last: Long) derives Struct
  * def numbered(journal: Journal[Booked, Sum], id: Long): Behavior[Book] =
  *   Persistent(journal, id, Sum(0, 0))(
  *     command = (sum, book) => Effect.persist(Booked(1)).thenReply(book.to)(_ => eventNumber),
  *     event = (sum, booked) => Sum(sum.amount + booked.amount, last = eventNumber)
  *   )
  * }}}
  */
def eventNumber(using number: EventNumber): Long = number.value
