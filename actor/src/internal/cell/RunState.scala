package undercroft.actor
package internal.cell

/** The run states of an actor; its owner thread alone reads and sets them. The lifecycle has states
  * of its own: [[State]].
  *
  * | state     | stored as   | meaning                                                             |
  * |:----------|:------------|:--------------------------------------------------------------------|
  * | idle      | `Idle`      | no turn is due                                                      |
  * | resting   | `Resting`   | idle; no message waits, and its worker may hand it one directly     |
  * | scheduled | `Scheduled` | a turn is due: the actor is in its worker's queue or next-turn slot |
  * | running   | `Scheduled` | its turn is running: `Dispatcher.current` returns it                |
  *
  * An actor with its own thread is always `Scheduled`: no other code may schedule its turns. An
  * actor on the calling thread has no owner and is always `Idle`. A worker's actor that is idle may
  * have messages of other threads: then `notified` is set, and the thread that set it wakes the
  * actor.
  *
  * | queue           | field            | order, and producers                                   |
  * |:----------------|:-----------------|:-------------------------------------------------------|
  * | message queue   | `first`, `rest`  | FIFO; the owner thread: see `MessageQueue`             |
  * | inbound queue   | `head`           | before later messages of the queue; other threads, CAS |
  * | system messages | `systemMessages` | before all user messages; all threads, CAS             |
  *
  * With `Overflow.DropOldest` an `EvictingQueue` behind a lock replaces the message queue and the
  * inbound queue.
  */
private[actor] object RunState:
  inline val Idle = 0
  inline val Resting = 1
  inline val Scheduled = 2
