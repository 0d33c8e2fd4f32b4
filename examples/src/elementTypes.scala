import undercroft.memory.*
import undercroft.struct.*

case class GardenBed(number: Int, area: Double) derives Struct

enum Soil:
  case Clay, Loam, Sand

@main def elementTypes(): Unit =
  Region.scoped:
    val beds = Rows.tabulate[GardenBed](5)(i => GardenBed(i.toInt, 1.5 * i))
    val planted = Rows.growing[Ref[GardenBed]] // 8 bytes for each reference
    for i <- List(4, 1) do planted += beds.ref(i)
    beds.ref(4).area = 7.0
    println(planted.sumOf(_.area)) // one loop, through the references
    println(planted(1).number)

    val herbs = Columns.from(List("thyme", "basil", "mint").map(Text[12](_))) // 12 bytes each
    herbs.sortInPlaceBy(identity)
    println(herbs.map(_.string).toVector)
    println(herbs.binarySearchBy(identity)(Text[12]("mint")))
    println(herbs.count(_.startsWith("b"))) // on the bytes

    val water = StructMap[Soil, Int]() // a key is one byte
    water(Soil.Clay) = 2
    water(Soil.Sand) = 9
    println((water(Soil.Sand), water.contains(Soil.Loam)))
    val visits = StructMap[Option[Int], Long]() // None is a key like any other
    for age <- List(Some(3), None, Some(3)) do visits.updateOrElse(age, 0L)(_ + 1)
    println((visits(Some(3)), visits(None)))

// prints:
// 8.5
// 1
// Vector(basil, mint, thyme)
// 1
// 1
// (9,false)
// (2,1)
