import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.*

case class Level2(price: Long, amount: Int) derives Struct

/** Finds the price at which `wanted` pieces can be bought. */
def priceFor(levels: Rows[Level2], wanted: Int): Long =
  var left = wanted
  var i = 0L
  while left > levels(i).amount do
    left -= levels(i).amount
    i += 1
  levels(i).price

def priceByCollections(levels: Rows[Level2], wanted: Int): Long =
  val sums = levels.toVector.scanLeft(0)(_ + _.amount)
  levels(sums.indexWhere(_ >= wanted) - 1).price

@main def hotPath(): Unit =
  Region.scoped:
    val levels = Rows.tabulate[Level2](10)(i => Level2(250 + i, 100))
    println(priceFor(levels, 450))
    println(priceByCollections(levels, 450))
    assertAllocates(0):
      priceFor(levels, 450)
    println(bytesPerCall(priceByCollections(levels, 450)) > 100) // for exploring
    try
      assertAllocates(0):
        priceByCollections(levels, 450)
    catch case error: AssertionError => println(error.getMessage.takeWhile(!_.isDigit).trim)

// prints:
// 254
// 254
// true
// allocates
