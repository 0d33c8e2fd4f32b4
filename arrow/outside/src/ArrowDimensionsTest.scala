package outside.arrow

import java.nio.file.Files
import undercroft.arrow.*
import undercroft.memory.Region
import undercroft.struct.*

object ThreeByTwo:
  case class Grid(
      cells: InlineArray[InlineArray[Short, 2], 3],
      flags: InlineArray[InlineArray[Boolean, 2], 3]
  ) derives Struct, CanEqual
object TwoByThree:
  case class Grid(
      cells: InlineArray[InlineArray[Short, 3], 2],
      flags: InlineArray[InlineArray[Boolean, 3], 2]
  ) derives Struct, CanEqual

/** Arrays of several dimensions in Arrow files. */
class ArrowDimensionsTest extends undercroft.tools.Suite:

  test("readArrow does not read a 3 x 2 array as 2 x 3"):
    val path = Files.createTempDirectory("undercroft-outside-").resolve("grids.arrow")
    try
      Region.scoped:
        val grids = Vector.tabulate(100): row =>
          ThreeByTwo.Grid(
            InlineArray.tabulate(i => InlineArray.tabulate(j => (row + 10 * i + j).toShort)),
            InlineArray.tabulate(i => InlineArray.tabulate(j => (row + i + j) % 3 == 0))
          )
        Rows.from(grids).writeArrow(path, batchRows = 30)
        assertEquals(Columns.readArrow[ThreeByTwo.Grid](path).toVector, grids)
        val error = intercept[ArrowException](Rows.readArrow[TwoByThree.Grid](path))
        assert(
          error.getMessage.contains(
            "`cells` must be list of 2 of list of 3 of int16, but is list of 3"
          ),
          error.getMessage
        )
    finally
      Files.deleteIfExists(path)
      Files.delete(path.getParent)
end ArrowDimensionsTest
