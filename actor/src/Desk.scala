package undercroft.actor

/** What a worker has in hand. It is made anew now and then, so that it stays young: a store of a
  * message into an old object is a barrier with a fence (G1, before JDK 26), some twenty cycles.
  */
private[actor] final class Desk:
  /** Who runs next, and its message if that is an object. */
  var cell: Cell[?] | Null = null
  var message: AnyRef | Null = null

  /** Whose turn it is, or was last. */
  var running: Cell[?] | Null = null

  def clear(): Unit =
    cell = null
    message = null
    running = null
