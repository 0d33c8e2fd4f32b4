import java.lang.foreign.ValueLayout
import undercroft.memory.*
import undercroft.struct.*

case class Sample(at: Int, value: Double) derives Struct

@main def copies(): Unit =
  Region.scoped:
    val rows = Rows.from(List(Sample(1, 0.5), Sample(2, 1.5), Sample(3, 2.5))) // from the heap
    val columns = Columns[Sample](rows.size)
    columns.setFrom(rows)(sample => sample.copy(value = sample.value * 2)) // row by row
    val values = columns.column(_.value) // one field of all rows, as an FFM segment
    println(values.toArray(ValueLayout.JAVA_DOUBLE).toList)
    println(rows.segment.byteSize) // all rows, in C's layout
    println(rows.map(_.at).toArray.toList) // copied to the heap
    val refs = RefArray[Sample](2) // 8 bytes each; in an Array every reference is an object
    refs(0) = rows.ref(2)
    println(refs(0).at)
    refs(1) = rows.ref(0)
    println(refs.view.sumOf(_.value)) // one loop, faster at random places than refs(i) in turn
    try columns.copyFrom(Array(Sample(4, 4)), at = 3)
    catch case error: IndexOutOfBoundsException => println(error.getMessage)

// prints:
// List(1.0, 3.0, 5.0)
// 48
// List(1, 2, 3)
// 3
// 3.0
// rows [3, 4) are not within [0, 3)
