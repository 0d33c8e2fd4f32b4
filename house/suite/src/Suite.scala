package undercroft.house

import scala.concurrent.duration.{Duration, DurationInt}

/** A suite of tests. One that hangs fails in the end; none fails because the machine is slow, or at
  * other things besides.
  */
abstract class Suite extends munit.FunSuite:
  override def munitTimeout: Duration = 15.minutes

/** A suite that has properties, too. */
abstract class PropertySuite extends Suite, munit.ScalaCheckSuite
