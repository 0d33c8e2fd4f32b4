package undercroft.actor
package testkit

/** Thrown when a simulation exceeds its limit of steps: something in it does not terminate. */
final class StepLimitException private[testkit] (message: String) extends RuntimeException(message)
