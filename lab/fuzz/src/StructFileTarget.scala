package undercroft.lab.fuzz

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.Files
import java.util.zip.CRC32C
import undercroft.arrow.{ArrowException, writeArrow}
import undercroft.file.format.{Durability, StructFile, StructFileException}
import undercroft.struct.*
import undercroft.file.*
import undercroft.file.samples.*

/** Struct files, read with their class and without. Checksums are corrected first: otherwise almost
  * no input would get beyond them.
  */
object StructFileTarget extends Target:
  def name: String = "file"

  private val file = Target.scratch.resolve("input.rows").nn
  private val copy = Target.scratch.resolve("copy.arrow").nn

  def samples: Seq[Array[Byte]] =
    def written(fill: java.nio.file.Path => Unit): Array[Byte] =
      val path = Target.scratch.resolve("sample.rows").nn
      try
        fill(path)
        Files.readAllBytes(path).nn
      finally Files.deleteIfExists(path): Unit
    Seq(
      written: path =>
        val table = Rows.create[Point](path, maxRows = 8, Durability.COMMITTED)
        for i <- 0 until 5 do table += Point(i, i.toByte)
        table.commit()
        table.close()
      ,
      written: path =>
        val table = Columns.create[Everything](path, maxRows = 64, Durability.COMMITTED)
        for i <- 0 until 5 do table += Everything.of(i)
        table.seal()
        table.close()
    )
  end samples

  def run(input: Array[Byte]): Unit =
    Files.write(file, repaired(input))
    Files.deleteIfExists(copy)
    refused:
      val opened = StructFile.open(file)
      try
        refused(opened.verify())
        refused(opened.statistics("x").size: Unit)
        refused(opened.writeArrow(copy))
      finally opened.close()
    refused(read(Rows.openReadOnly[Point](file)))
    refused(read(Columns.openReadOnly[Everything](file)))
  end run

  private def read[T, L <: Layout](table: FileTable[T, L]): Unit =
    try table.iterator.foreach(row => row.hashCode: Unit)
    finally table.close()

  /** Runs `body`, and catches the exceptions that reject a file. */
  private def refused(body: => Unit): Unit =
    try body
    catch
      case _: (StructFileException | ArrowException) => ()
      // The number of a case that the class does not have.
      case _: NoSuchElementException => ()

  private val Slot = 4096

  /** The input with corrected checksums of its headers, schema and block table. */
  private def repaired(input: Array[Byte]): Array[Byte] =
    val bytes = input.clone
    val words = ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn
    for at <- Seq(0, Slot) if bytes.length >= at + Slot do
      sum(bytes, 2L * Slot, words.getLong(at + 40) - 2 * Slot).foreach(words.putInt(at + 56, _))
      sum(bytes, words.getLong(at + 80), words.getLong(at + 88)).foreach(words.putInt(at + 96, _))
      sum(bytes, at, Slot - 4).foreach(words.putInt(at + Slot - 4, _))
    bytes

  private def sum(bytes: Array[Byte], from: Long, count: Long): Option[Int] =
    Option.when(from >= 0 && count >= 0 && from <= bytes.length && count <= bytes.length - from):
      val crc = CRC32C()
      crc.update(bytes, from.toInt, count.toInt)
      crc.getValue.toInt
end StructFileTarget
