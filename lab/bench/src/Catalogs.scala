package undercroft.lab.bench

import java.nio.ByteBuffer
import java.util.{AbstractList, ArrayList, HashMap, Random}
import org.apache.thrift.TBase
import scala.jdk.CollectionConverters.*
import undercroft.struct.*
import undercroft.thrift.ThriftSerializer

/** A file of a catalog as a row, which `lab/thrift/src/catalog.cpp` reads as a struct of C. */
final case class FileRow(
    partition: Long,
    length: Long,
    modified: Long,
    compression: Int,
    blockCount: Int,
    blocks: InlineArray[BlockRow, 2],
    name: Text[64]
) derives Struct

final case class BlockRow(offset: Long, length: Long, hosts: InlineArray[Short, 3]) derives Struct

/** Catalogs of tables of a megabyte (a million bytes of Thrift's binary protocol): some 6 000 files
  * in 40 partitions. Larger ones have the same few tables again and again, so that a catalog of 4
  * GB does not need the heap that its objects would.
  */
object Catalogs:
  val TableBytes = 1_000_000
  private val Distinct = 8
  private val Partitions = 40
  private val Files = 152

  /** Bytes of a catalog around its tables. */
  val Around = 20

  /** The files of each of the different tables. */
  lazy val rows: Array[Array[FileRow]] =
    Array.tabulate(Distinct)(table => tableOf(Random(table + 1)))

  private def tableOf(random: Random): Array[FileRow] =
    def block(i: Int) =
      def host = random.nextInt(300).toShort
      BlockRow(i.toLong << 27, 1L << 27, InlineArray[Short, 3](host, host, host))
    val empty = BlockRow(0, 0, InlineArray[Short, 3](0, 0, 0))
    Array.tabulate(Partitions * Files): i =>
      val count = 1 + i % 2
      FileRow(
        i / Files,
        random.nextInt(1 << 28),
        1_700_000_000_000L + random.nextInt,
        Seq(0, 2, 4, 10)(random.nextInt(4)),
        count,
        InlineArray[BlockRow, 2](block(0), if count == 2 then block(1) else empty),
        Text[64](f"${random.nextLong}%016x-${random.nextLong}%016x_${i}%09d_data.0.parq")
      )

  private lazy val tables: Array[TBase[?, ?]] = rows.zipWithIndex.map((rows, i) => table(rows, i))

  private def table(rows: Array[FileRow], id: Int): TBase[?, ?] =
    def made(padding: Int) =
      val partitions = rows.grouped(Files).zipWithIndex.map: (part, i) =>
        partition(part, i, if i == 0 then padding else 100)
      val columns = Seq.tabulate(20): i =>
        CatalogClasses.make("Column", s"column_$i", "STRING", i.toLong, 8.5, true)
      CatalogClasses.make(
        "Table",
        id.toLong,
        "sales",
        s"orders_$id",
        list(columns),
        list(partitions.toSeq)
      )
    val writer = ThriftSerializer()
    try made((TableBytes - writer.serialize(made(0)).size).toInt)
    finally writer.close()

  private def partition(rows: Array[FileRow], id: Int, padding: Int): TBase[?, ?] =
    CatalogClasses.make(
      "Partition",
      id.toLong,
      s"hdfs://warehouse/sales.db/orders/year=2026/day=$id",
      list(Seq("2026", s"$id")),
      list(rows.toSeq.map(file)),
      HashMap(Map("numFiles" -> s"$Files", "transient_lastDdlTime" -> "1764900000").asJava),
      rows.length * 1000L,
      ByteBuffer.allocate(padding)
    )

  private def file(row: FileRow): TBase[?, ?] =
    val blocks = row.blocks.toVector.take(row.blockCount).map: block =>
      val hosts = block.hosts.toVector.map(Short.box)
      CatalogClasses.make("Block", block.offset, block.length, list(hosts))
    CatalogClasses.make(
      "File",
      row.name.toString,
      row.length,
      row.modified,
      CatalogClasses.compression(row.compression),
      list(blocks)
    )

  /** A list as Thrift programs represent it. */
  private def list[A](all: Seq[A]): ArrayList[A] = ArrayList(all.asJava)

  /** A catalog of `tables` tables: `tables` MB and [[Around]] bytes in the binary protocol. */
  def thrift(tables: Int): TBase[?, ?] =
    val source = this.tables
    val repeated = new AbstractList[TBase[?, ?]]:
      def get(i: Int): TBase[?, ?] = source(i % Distinct)
      def size: Int = tables
    CatalogClasses.make("Catalog", 1L, repeated)

  /** The files that C++ writes to a megabyte, nearly. */
  val FilesOfMegabyte = 7800

  /** The files of each partition of a catalog in memory. */
  def files(catalog: TBase[?, ?]): Iterator[Iterable[Object]] =
    elements(catalog, 2).iterator.flatMap(elements(_, 5)).map(elements(_, 4))

  private def elements(struct: Object, id: Int): Iterable[Object] =
    CatalogClasses.field(struct, id) match
      case all: java.util.List[?] => all.asScala.view.map(_.asInstanceOf[Object])
      case other                  => throw IllegalStateException(s"$other is no list")

  /** The number of files of `tables` tables. */
  def fileCount(tables: Int): Long = tables.toLong * Partitions * Files

  /** Stores the files of `tables` tables in rows. */
  def store(tables: Int, target: Rows[FileRow]): Unit =
    var at = 0L
    for i <- 0 until tables do
      store(rows(i % Distinct), target, at)
      at += Partitions * Files

  private def store(files: Array[FileRow], rows: Rows[FileRow], from: Long): Unit =
    var i = 0
    while i < files.length do
      rows(from + i) = files(i)
      i += 1

  /** The summary that a reader must compute. */
  def summary(tables: Int): Summary =
    val all = Iterator.tabulate(tables)(i => rows(i % Distinct)).flatten
    all.foldLeft(Summary(0, 0, 0)): (total, row) =>
      val blocks = row.blocks.toVector.take(row.blockCount)
      val inBlocks = blocks.map(b => b.offset + b.length + b.hosts.toVector.map(_.toLong).sum).sum
      val name = row.name.toString.getBytes.map(_ & 0xffL).sum
      val sum = row.length + row.modified + row.compression + name + inBlocks
      Summary(total.files + 1, total.blocks + row.blockCount, total.sum + sum)
end Catalogs
