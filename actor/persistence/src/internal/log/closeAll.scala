package undercroft.actor
package persistence
package internal.log

/** Closes all of `parts`, then throws the first failure, if any, with the later ones suppressed. */
private[persistence] def closeAll(parts: Iterable[AutoCloseable]): Unit =
  var failure: Throwable | Null = null
  for part <- parts do
    try part.close()
    catch
      case error: Throwable =>
        val first = failure
        if first == null then failure = error
        else if first ne error then first.addSuppressed(error)
  val first = failure
  if first != null then throw first
