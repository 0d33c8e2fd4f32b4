import undercroft.memory.*
import undercroft.struct.*

case class Point(x: Int, y: Int) derives Struct
case class Line(from: Point, to: Point, width: Int) derives Struct

@main def references(): Unit =
  Region.scoped:
    val lines = Rows[Line](100)
    lines(7) = Line(Point(1, 2), Point(3, 4), width = 5)
    val line = lines.ref(7) // 64 bits that any thread may hold
    line.width = 6 // stores one field, in place
    line.update(_.width)(_ + 1) // loads and stores one field
    line.from.x = 10 // a field of a nested struct
    line.to = Point(30, 40)
    println(line.width) // loads one field
    println(line.atomic(_.width).getAndAdd(1)) // as VarHandle has it
    println(line()) // loads all fields

  val stale = Region.named("morning")(Ref(Point(1, 2)))
  try println(stale.x)
  catch case error: StaleReferenceException => println(error.owner)

// prints:
// 7
// 7
// Line(Point(10,2),Point(30,40),8)
// Some(region "morning")
