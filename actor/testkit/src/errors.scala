package undercroft.actor
package testkit

/** Thrown when a simulation exceeds its limit of steps: something in it does not terminate.
  *
  * {{{
  * import undercroft.actor.*
  * def endless(): Unit =
  *   simulate(seeds = 1, maxSteps = 1000): // fails with a StepLimitException
  *     def echo: Behavior[Int] = Behavior.setup:
  *       Behavior.receive: n =>
  *         self ! n
  *         Behavior.same
  *     spawn(echo) ! 1
  *     simulation.runUntilIdle()
  * }}}
  */
final class StepLimitException private[testkit] (message: String) extends RuntimeException(message)
