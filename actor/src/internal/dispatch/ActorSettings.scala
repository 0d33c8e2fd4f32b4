package undercroft.actor
package internal.dispatch

import undercroft.memory.internal.platform.Settings

/** The system properties of the actor runtime, read once into constants: the JIT compiler removes
  * the code of disabled features.
  */
private[actor] object ActorSettings:

  /** `undercroft.actor.audit=off` disables the counts of direct hand-offs. Then there is no audit,
    * and a mailbox limit may be exceeded by one more message. Used to measure the cost of the
    * counts.
    */
  val audits: Boolean = Settings.isOn("undercroft.actor.audit", default = true)

  /** `undercroft.actor.stallMillis`: how long a message may occupy a worker before it is reported.
    */
  val stallNanos: Long = nanos("undercroft.actor.stallMillis", 100)

  /** `undercroft.actor.threadStallMillis`: how long an actor on its own thread, which may block,
    * may handle one message before it is reported.
    */
  val threadStallNanos: Long = nanos("undercroft.actor.threadStallMillis", 10_000)

  /** `undercroft.actor.deadLetterMillis`: the shortest interval between log lines about dead
    * letters; 0 turns them off.
    */
  val deadLetterNanos: Long =
    if System.getProperty("undercroft.actor.deadLetterMillis") == "0" then 0L
    else nanos("undercroft.actor.deadLetterMillis", 10_000)

  /** `undercroft.actor.exitStatus`: the status with which a fatal error ends the JVM; -1 if it ends
    * the system only.
    */
  val exitStatus: Int =
    val text = System.getProperty("undercroft.actor.exitStatus", "-1")
    val status = number(text)
    if status < -1 || status > 255 then
      throw IllegalArgumentException(
        s"undercroft.actor.exitStatus must be from -1 to 255, but is '$text'"
      )
    status

  private def nanos(name: String, usual: Int): Long =
    val text = System.getProperty(name)
    val millis = if text == null then usual else number(text)
    if millis <= 0 then
      throw IllegalArgumentException(
        s"$name must be a positive number of milliseconds, but is '$text'"
      )
    millis * 1_000_000L

  /** The number, or the smallest one if the text is none. */
  private def number(text: String): Int =
    try Integer.parseInt(text)
    catch case _: NumberFormatException => Int.MinValue
end ActorSettings
