package undercroft.cli

/** Input that a command cannot use; it ends with exit code 2. */
private[cli] final class BadInput(message: String) extends RuntimeException(message)

/** A failure that is not the input's; the command ends with exit code 1. */
private[cli] final class Failed(message: String) extends RuntimeException(message)
