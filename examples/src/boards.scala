import undercroft.memory.*
import undercroft.struct.*

case class Board(cells: Inline[Inline[Byte, 3], 3], moves: Short) derives Struct // char[3][3]

@main def boards(): Unit =
  Region.scoped:
    val boards = Rows[Board](2)
    boards(1) = Board(Inline.tabulate(row => Inline.fill(row.toByte)), moves = 9)
    boards.ref(0).cells(1)(2) = 7 // one byte
    println(boards.ref(0).cells(1)(2))
    println(boards.sumOf(_.cells(1)(2)))
    println(boards(1))

// prints:
// 7
// 8
// Board(Inline(Inline(0, 0, 0), Inline(1, 1, 1), Inline(2, 2, 2)),9)
