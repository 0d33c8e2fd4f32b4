package undercroft.actor
package internal.observe

/** Receives the last counts of actors that stop. An exception of its methods is logged. */
private[undercroft] trait ActorObserver:
  /** An actor has stopped. Called on its thread, in its last turn, so it must not wait. */
  def stopped(actor: ActorCounts): Unit

  /** The system has stopped, after all of its actors. */
  def ended(): Unit
