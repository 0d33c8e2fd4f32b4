import undercroft.memory.*
import undercroft.struct.*

case class Quote(symbol: Char, price: Long, firm: Boolean) derives Struct

@main def layouts(): Unit =
  println(Struct[Quote].layout.show)
  println(s"${Struct[Quote].size} bytes, packed ${Struct[Quote].packedSize}")

  Region.scoped:
    val rows = Rows[Quote](1000) // as C lays it out
    val packed = PackedRows[Quote](1000) // without padding
    val columns = Columns[Quote](1000) // one run of memory for each field
    for i <- 0 until 1000 do rows(i) = Quote('A', i, firm = i % 2 == 0)
    packed.setFrom(rows)(quote => quote)
    columns.setFrom(rows)(quote => quote)
    println(packed.filter(_.firm).map(_.price).max)
    println(columns.filter(_.firm).map(_.price).max)

// prints:
// Quote: 24 bytes, aligned to 8
//        0    2  symbol               Char
//        2    6  (padding)
//        8    8  price                Long
//       16    1  firm                 Boolean
//       17    7  (padding)
// 24 bytes, packed 11
// 998
// 998
