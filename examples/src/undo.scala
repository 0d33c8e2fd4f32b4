import undercroft.memory.*
import undercroft.struct.*

case class Edit(position: Int, letter: Char) derives Struct

@main def undo(): Unit =
  Region.scoped:
    val edits = Rows.growing[Edit]
    edits.appendAll("draft!".zipWithIndex.map((letter, i) => Edit(i, letter)))
    println(edits.removeLast()) // its memory stays, for the next row
    val third = edits.ref(2)
    edits.clear() // all rows
    println(edits.size)
    edits.appendAll(5)(i => Edit(i.toInt, 'x'))
    println(third.letter) // the row that is stored there now

// prints:
// Edit(5,!)
// 0
// x
