package outside.buffer

import undercroft.buffer.*
import undercroft.tools.LoadedClasses

/** What the first buffer of a program loads: no native call, none of Scala's collections. */
class FirstUseTest extends undercroft.tools.Suite:
  test("the first buffer loads few classes"):
    LoadedClasses.assertAtMost(90, FirstBuffer.getClass)

object FirstBuffer:
  def main(arguments: Array[String]): Unit =
    val line = Buffer().writeUtf8("price 251\nrest").readUtf8Line()
    if line != "price 251" then throw AssertionError(line)
