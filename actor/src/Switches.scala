package undercroft.actor

/** The system properties that actors read, each once: what is off is not compiled. */
private[actor] object Switches:

  /** `undercroft.actor.audit=off` leaves the counts of a message out that goes from hand to hand.
    * Then there is no audit, and a limit may be exceeded by one message more. It is there to
    * measure what the counts cost.
    */
  val audits: Boolean = System.getProperty("undercroft.actor.audit", "on") != "off"

  /** `undercroft.actor.causes=on` has each message tell where it comes from, for
    * [[ActorSystem.explain]].
    */
  val causes: Boolean = System.getProperty("undercroft.actor.causes", "off") == "on"

  /** `undercroft.actor.stuckMillis`: for how long a message may keep a worker before that is told.
    */
  val stuckNanos: Long = nanos("undercroft.actor.stuckMillis", 100)

  /** `undercroft.actor.heldMillis`: for how long an actor on a thread of its own, which may block,
    * may be at one message before that is told.
    */
  val heldNanos: Long = nanos("undercroft.actor.heldMillis", 10_000)

  private def nanos(name: String, usual: Int): Long =
    val text = System.getProperty(name, s"$usual")
    text.toIntOption.filter(_ > 0) match
      case Some(millis) => millis * 1_000_000L
      case None => throw IllegalArgumentException(s"$name=$text is no number of milliseconds")
end Switches
