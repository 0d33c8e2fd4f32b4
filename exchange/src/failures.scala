package undercroft.exchange

/** Words about input that cannot be used; the exchange ends with exit code 2. */
final class BadInput(words: String) extends RuntimeException(words)

/** Work that failed for no fault of its input; the exchange ends with exit code 1. */
final class Failed(words: String) extends RuntimeException(words)
