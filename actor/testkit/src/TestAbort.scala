package undercroft.actor
package testkit

import scala.util.boundary
import scala.util.control.ControlThrowable

/** Exceptions that end a test, but are no failures of it. */
private[testkit] object TestAbort:
  /** The names of the exceptions that test frameworks throw for a failed assumption: of JUnit 4,
    * which munit's `assume` uses, and of JUnit 5. By name, so that neither is required.
    */
  private val Assumptions =
    Set("org.junit.internal.AssumptionViolatedException", "org.opentest4j.TestAbortedException")

  /** Whether it is a failed assumption, an interrupt, or a jump out of the test's body. */
  def is(cause: Throwable): Boolean = cause match
    case _: InterruptedException | _: ControlThrowable | _: boundary.Break[?] => true
    case _                                                                    => isAssumption(cause)

  def isAssumption(cause: Throwable): Boolean =
    var superclass: Class[?] | Null = cause.getClass
    while superclass != null && !Assumptions(superclass.getName) do
      superclass = superclass.getSuperclass
    superclass != null
end TestAbort
