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
  val stuckNanos: Long =
    val name = "undercroft.actor.stuckMillis"
    val text = System.getProperty(name, "100")
    text.toIntOption.filter(_ > 0) match
      case Some(millis) => millis * 1_000_000L
      case None => throw IllegalArgumentException(s"$name=$text is no number of milliseconds")
end Switches
