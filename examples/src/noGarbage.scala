import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.*

case class Reading(sensor: Int, value: Double) derives Struct:
  def isWarm: Boolean = value > 20

@main def noGarbage(): Unit =
  Region.scoped:
    val readings = Rows[Reading](1000)
    assertAllocates(0): // fails with the bytes that a call allocates
      readings(7) = Reading(1, 20.5)
      readings(7).isWarm
    println("0 bytes a call")

// prints:
// 0 bytes a call
