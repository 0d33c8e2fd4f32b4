package undercroft.actor
package testkit

/** A simulation took more steps than it may: something in it never ends. */
final class EndlessException private[testkit] (message: String) extends RuntimeException(message)
