package undercroft.actor
package internal.cell

/** Stops an actor after the messages that were sent before, also those that its behavior has
  * stashed: see [[Stash.Keeper]].
  */
private[actor] object StopInOrder extends InternalMessage:
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val stash = cell.stashOrNull
    val keeper = if stash == null then null else stash.keeper
    if keeper == null then Behavior.stopped
    else keeper.stopInOrder().asInstanceOf[Behavior[T]]

  override def isNotice: Boolean = true
  override def toString: String = "a request to stop"
