package lookups

import java.nio.file.{Files, Path}
import undercroft.file.*
import undercroft.struct.*

case class Item(id: Long, vector: InlineArray[Float, 254]) derives Struct

/** Items as rows of a struct file. */
final class Ours(path: Path) extends Store:
  private val items = if Files.exists(path) then Rows.open[Item](path) else Rows.create[Item](path)

  def add(id: Long): Unit =
    items += Item(id, InlineArray.tabulate(index => Items.element(id, index)))

  def commit(): Unit = items.commit()

  def reader(): Reader = new Reader:
    private val items = Rows.openReadOnly[Item](path)
    items.disableReadAhead()

    def sum(id: Long): Long =
      val vector = items.row(id).vector
      var (sum, index) = (0f, 0)
      while index < Items.Length do
        sum += vector(index)
        index += 1
      sum.toLong

    def refresh(): Unit = items.refresh()
    def close(): Unit = items.close()

  def close(): Unit = items.close()
end Ours
