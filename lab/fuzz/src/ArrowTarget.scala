package undercroft.lab.fuzz

import java.nio.file.Files
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.samples.*

/** Files in Arrow's IPC format. */
object ArrowTarget extends Target:
  def name: String = "arrow"

  private val file = Target.scratch.resolve("input.arrow").nn

  def samples: Seq[Array[Byte]] =
    val small = Target.scratch.resolve("sample.arrow").nn
    try
      Region.scoped:
        Columns.tabulate[Point](9)(i => Point(i.toInt, i.toByte)).writeArrow(small, 4)
        val points = Files.readAllBytes(small).nn
        Files.delete(small)
        Columns.tabulate[Everything](6)(i => Everything.of(i.toInt)).writeArrow(small, 4)
        Seq(points, Files.readAllBytes(small).nn)
    finally Files.deleteIfExists(small): Unit

  def run(input: Array[Byte]): Unit =
    Files.write(file, input)
    Region.scoped:
      try
        Rows.readArrow[Everything](file).iterator.foreach(row => row.hashCode: Unit)
      catch case _: ArrowException => ()
    Region.scoped:
      try
        Columns.readArrow[Point](file).iterator.foreach(row => row.hashCode: Unit)
      catch case _: ArrowException => ()
end ArrowTarget
