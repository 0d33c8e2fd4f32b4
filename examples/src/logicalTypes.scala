import java.time.{Duration, LocalDateTime, LocalTime}
import undercroft.memory.*
import undercroft.struct.*

final case class Ward(code: String)

// Files and schemas call the text a ward: a class with another meaning does not open them.
given Struct.StoredAs[Ward, Text[4]] =
  Struct.storedAs[Ward, Text[4]](ward => Text(ward.code))(text => Ward(text.string))
    .withLogicalType(LogicalType.Named("ward"))

case class Visit(at: LocalDateTime, opens: LocalTime, length: Duration, ward: Ward) derives Struct

@main def logicalTypes(): Unit =
  for (path, meaning) <- Struct[Visit].logicalTypes.toList.sortBy(_._1.mkString) do
    println(s"${path.mkString(".")}: $meaning")
  Region.scoped:
    val nine = LocalDateTime.of(2026, 11, 25, 9, 30)
    val visits = Columns.growingTo[Visit](maxRows = 100)
    visits += Visit(nine, LocalTime.of(8, 0), Duration.ofMinutes(20), Ward("A1"))
    visits += Visit(nine.plusDays(1), LocalTime.of(8, 0), Duration.ofMinutes(5), Ward("B2"))
    println(visits.map(_.length.toMinutes).sum)
    println(visits.maxBy(_.at).ward)
    try visits.updateAt(0)(_.length)(_.multipliedBy(1_000_000_000L))
    catch case error: ArithmeticException => println(error.getMessage)

// prints:
// at: Timestamp(Nanos,false)
// length: Duration(Nanos)
// opens: Time(Nanos)
// ward: Named(ward)
// 25
// Ward(B2)
// a Duration in nanoseconds must be from PT-2562047H-47M-16.854775808S to PT2562047H47M16.854775807S: PT333333333H20M
