import undercroft.memory.*
import undercroft.struct.*

case class Board(cells: InlineArray[InlineArray[Byte, 3], 3], moves: Short)
    derives Struct // char[3][3]

@main def boards(): Unit =
  Region.scoped:
    val boards = Rows[Board](2)
    boards(1) = Board(InlineArray.tabulate(row => InlineArray.fill(row.toByte)), moves = 9)
    boards.ref(0).cells(1)(2) = 7 // one byte
    println(boards.ref(0).cells(1)(2))
    println(boards.sumOf(_.cells(1)(2)))
    println(boards(1))

// prints:
// 7
// 8
// Board(InlineArray(InlineArray(0, 0, 0), InlineArray(1, 1, 1), InlineArray(2, 2, 2)),9)
