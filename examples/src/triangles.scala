import undercroft.memory.*
import undercroft.struct.*

enum Color derives CanEqual:
  case Red, Green

case class Corner(x: Int, y: Int) derives Struct
case class Triangle(
    corners: InlineArray[Corner, 3],
    colors: InlineArray[Color, 2],
    names: InlineArray[Text[8], 2]
) derives Struct

@main def triangles(): Unit =
  Region.scoped:
    val triangles = Rows.growing[Triangle]
    triangles += Triangle(
      InlineArray(Corner(0, 0), Corner(3, 0), Corner(0, 4)),
      InlineArray(Color.Red, Color.Green),
      InlineArray(Text[8]("first"), Text[8]("right"))
    )
    val triangle = triangles.ref(0)
    triangle.corners(1).x = 5 // four bytes
    println(triangle.corners(1)())
    println(triangles.sumOf(_.corners(1).x))
    println(triangle.colors(1)())
    println(triangle.names(0).startsWith("fi"))
    println(Struct[Triangle].size)

// prints:
// Corner(5,0)
// 5
// Green
// true
// 44
