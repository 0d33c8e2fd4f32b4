package undercroft.actor
package internal.dispatch

/** Counts the asks on the stack of a thread that may run the asked actor on this thread. */
private[actor] object AskNesting:
  // An array, because a thread that lives on would keep the loader of any class of ours.
  private val depth = ThreadLocal.withInitial(() => new Array[Int](1))

  /** Executes an ask of `ref`, unless it would be nested too deeply. Allocates nothing. */
  inline def count[A](ref: ActorRef[Nothing])(inline ask: A): A =
    val nesting = entered(ref)
    try ask
    finally nesting(0) -= 1

  private def entered(ref: ActorRef[Nothing]): Array[Int] =
    val nesting = depth.get
    if nesting(0) == ActorSystem.NestedAskLimit then
      throw AskNestingException(
        s"an ask of ${ref.name} would be nested in ${nesting(0)} asks of this thread; " +
          s"allowed: less than ${ActorSystem.NestedAskLimit}"
      )
    nesting(0) += 1
    nesting
end AskNesting
