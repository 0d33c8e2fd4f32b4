import undercroft.memory.*
import undercroft.struct.*

case class WaterLevel(hour: Int, centimetres: Int) derives Struct

@main def sequences(): Unit =
  Region.scoped:
    val heights = List(120, 180, 240, 210, 150, 90)
    val levels = Columns.tabulate[WaterLevel](6)(i => WaterLevel(i.toInt, heights(i.toInt)))
    val high = levels.filter(_.centimetres > 100).map(_.centimetres)
    println((high.headOption, levels.filter(_.hour > 23).headOption)) // reads to the first value
    println(high.reduce((a, b) => a.max(b)))
    println(high.takeWhile(_ < 200).toList)
    println(high.dropWhile(_ < 200).toList)
    val (rising, others) = high.span(_ < 200)
    println((rising.size, others.size)) // a loop each: a view does not know its size
    println(high.zipWithIndex.filter((_, i) => i % 2 == 0).map((height, _) => height).toList)
    println(levels.flatMap(level => List.fill(level.centimetres / 100)(level.hour)).toList)
    println((high.contains(240), high.startsWith(List(120, 180))))
    println(high.sameElements(heights.init))
    val values = high.iterator // reads a row when a value is asked for, and allocates it
    println(values.next() + values.next())

// prints:
// (Some(120),None)
// 240
// List(120, 180)
// List(240, 210, 150)
// (2,3)
// List(120, 240, 150)
// List(0, 1, 2, 2, 3, 3, 4)
// (true,true)
// true
// 300
