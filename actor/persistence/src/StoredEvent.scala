package undercroft.actor
package persistence

/** An event of a [[Journal]], as [[Journal.tagged]] reads it.
  *
  * @param offset
  *   the place of the event in its journal: larger for an event that was stored later, not
  *   consecutive, and the same whenever the journal is opened again
  * @param id
  *   the persistence id
  * @param number
  *   the number of the event in its persistence id: see [[eventNumber]]
  */
final case class StoredEvent[+E](offset: Long, id: Long, number: Long, event: E) derives CanEqual
