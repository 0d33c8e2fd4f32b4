import undercroft.memory.*
import undercroft.struct.*

class Celsius(val degrees: Double)

object Station: // stores a byte for each temperature
  given Struct.StoredAs[Celsius, Byte] =
    Struct.storedAs[Celsius, Byte](_.degrees.toByte)(byte => Celsius(byte.toDouble))
  case class Weather(at: Int, temperature: Celsius) derives Struct
  def report(using Allocator): Rows[Weather] = Rows.from(List(Weather(600, Celsius(17))))

object Archive: // stores a Double, so its code has another offset for the field
  given Struct.StoredAs[Celsius, Double] =
    Struct.storedAs[Celsius, Double](_.degrees)(double => Celsius(double))
  def first(rows: Rows[Station.Weather]): Double = rows(0).temperature.degrees

@main def layoutMismatch(): Unit =
  Region.scoped:
    val rows = Station.report
    try println(Archive.first(rows))
    catch
      case error: LayoutMismatchException => // nothing was read
        println(s"${error.typeName}.${error.field}")
        println(error.compiled)
        println(error.found)

// prints:
// Weather.temperature
// Double at offset 8, 4 packed, 4 in columns
// Byte at offset 4, 4 packed, 4 in columns
