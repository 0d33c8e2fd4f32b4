package undercroft.actor
package internal.dispatch

/** Counts the asks on the stack of a thread that may run the asked actor on this thread. */
private[actor] final class AskNesting:
  var depth = 0

private[actor] object AskNesting:
  private val here = ThreadLocal.withInitial(() => AskNesting())

  /** Executes an ask of `ref`, unless it would be nested too deeply. */
  inline def count[A](ref: ActorRef[Nothing])(inline ask: A): A =
    val nesting = enter(ref)
    try ask
    finally nesting.depth -= 1

  def enter(ref: ActorRef[Nothing]): AskNesting =
    val nesting = here.get
    if nesting.depth == ActorSystem.NestedAskLimit then
      throw AskNestingException(
        s"an ask of ${ref.name} would be nested in ${nesting.depth} asks of this thread; " +
          s"allowed: less than ${ActorSystem.NestedAskLimit}"
      )
    nesting.depth += 1
    nesting
