package outside.memory

import java.lang.foreign.ValueLayout.JAVA_LONG
import undercroft.memory.*
import undercroft.tools.LoadedClasses

/** What the first region of a program loads: the JDK's linker, and none of Scala's collections. */
class FirstUseTest extends undercroft.tools.Suite:
  test("the first region loads few classes"):
    LoadedClasses.assertAtMost(450, FirstRegion.getClass)

object FirstRegion:
  def main(arguments: Array[String]): Unit =
    val stored = Region.scoped:
      val block = Region.allocate(64)
      block.set(JAVA_LONG, 0, 251)
      block.get(JAVA_LONG, 0)
    if stored != 251 then throw AssertionError(stored)
