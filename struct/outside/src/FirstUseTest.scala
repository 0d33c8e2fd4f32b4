package outside.struct

import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.LoadedClasses

/** What the first rows of a program load: no shapes, none of Scala's collections. */
class FirstUseTest extends undercroft.tools.Suite:
  test("the first rows load few classes"):
    LoadedClasses.assertAtMost(425, FirstRows.getClass)

final case class FirstRow(price: Int, amount: Long, buy: Boolean) derives Struct

object FirstRows:
  def main(arguments: Array[String]): Unit =
    val sum = Region.scoped:
      val rows = Rows.tabulate[FirstRow](10)(i => FirstRow(i.toInt, 2 * i, i > 5))
      rows.sumOf(_.amount)
    if sum != 90 then throw AssertionError(sum)
