package undercroft.actor
package internal.dispatch

/** Finds the frames of a handler on the stack of a worker. */
private[actor] object HandlerStack:
  private val Cell = "undercroft.actor.internal.cell."

  /** Whether a worker with this stack, innermost frame first, runs a handler, a setup or a signal
    * handler, and not the listener of events.
    */
  def isInHandler(stack: Array[StackTraceElement]): Boolean =
    !stack.isEmpty && !stack.exists(isListener) &&
      (stack.exists(isHandler) || !stack.exists(isWorkerLoop)) // a very deep stack is cut off

  private def isHandler(frame: StackTraceElement): Boolean =
    val (owner, method) = (frame.getClassName.nn, frame.getMethodName.nn)
    (owner == Cell + "ActorCell" &&
      (method == "handleUserMessage" || method == "handleInternal" || method == "handleSlot")) ||
    (owner == Cell + "Lifecycle$" && (method == "install" || method == "signal"))

  private def isListener(frame: StackTraceElement): Boolean =
    frame.getClassName == "undercroft.actor.ActorSystem" && frame.getMethodName == "report"

  private def isWorkerLoop(frame: StackTraceElement): Boolean =
    frame.getClassName == "undercroft.actor.internal.dispatch.Worker" &&
      frame.getMethodName == "run"
end HandlerStack
