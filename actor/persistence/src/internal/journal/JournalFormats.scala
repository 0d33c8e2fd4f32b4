package undercroft.actor
package persistence
package internal.journal

import internal.log.RecordFormat
import undercroft.struct.Struct

/** The formats of the two logs of a journal. */
private[persistence] final class JournalFormats[E, S](event: Struct[E], state: Struct[S]):
  val events: RecordFormat[E] = RecordFormat("JournalEvent", "event", event)
  val snapshots: RecordFormat[S] = RecordFormat("JournalSnapshot", "state", state)
