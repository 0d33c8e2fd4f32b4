package undercroft.actor
package persistence

/** Which events a journal keeps in its folder.
  *
  * {{{
  * println(Retention.values.length) // 2
  * }}}
  */
enum Retention derives CanEqual:
  /** All events: the folder is the whole history. */
  case KeepAll

  /** The events since the second newest snapshot of each actor, so that a damaged newest snapshot
    * is no loss. A segment of the journal is deleted when it has no other events. An actor that
    * takes no snapshots keeps the segments with its events.
    */
  case SinceSnapshot
