package undercroft.cli
package internal.io

import java.util.Locale

/** The formats of files, known by the endings of their names. */
private[cli] enum FileFormat(val endings: String*) derives CanEqual:
  case Csv extends FileFormat(".csv", ".csv.gz", ".tsv")
  case Parquet extends FileFormat(".parquet")
  case Json extends FileFormat(".json", ".jsonl", ".ndjson")
  case Arrow extends FileFormat(".arrow", ".feather")
  case Struct extends FileFormat()

  def describe: String = this match
    case Struct => "struct file: any name without the ending of another format"
    case other  => s"${other.label}: ${endings.mkString(", ")}"

  def label: String = this match
    case Csv    => "CSV"
    case Json   => "JSON"
    case Struct => "struct file"
    case other  => other.toString

private[cli] object FileFormat:
  def of(name: String): FileFormat =
    val lower = name.toLowerCase(Locale.ROOT).nn
    values.find(_.endings.exists(lower.endsWith)).getOrElse(Struct)

  /** Whether a text file is compressed by gzip. */
  def isCompressed(name: String): Boolean = name.toLowerCase(Locale.ROOT).nn.endsWith(".gz")

  /** The format of a file to write. Throws [[BadInput]] for the ending of a format that is not
    * written: a struct file of that name would be taken for something else.
    */
  def ofTarget(name: String): FileFormat =
    val format = of(name)
    val ending = name.toLowerCase(Locale.ROOT).nn.split('.').last
    if format == Struct && name.contains('.') && Foreign(ending) then
      throw BadInput(
        s"$name: the format .$ending is not written; the formats are " +
          values.map(_.describe).mkString("; ")
      )
    format

  /** Endings of tables, documents, databases and compressed files in other formats. */
  private val Foreign =
    ("csv json jsonl ndjson parquet arrow feather tsv psv tab txt text log xml yaml yml toml html " +
      "htm md pdf xls xlsx xlsm xlsb ods odt doc docx numbers pq parq par orc avro arrows ipc proto " +
      "pb thrift msgpack cbor bson geojson gpkg shp h5 hdf hdf5 nc npy npz pkl pickle rds rda rdata " +
      "dta sav sas7bdat mat mdb accdb db db3 sqlite sqlite3 duckdb sql lance delta vortex gz gzip tgz " +
      "zst zstd bz2 xz lz4 lzma snappy br z zip 7z tar rar").split(' ').toSet
end FileFormat
