package undercroft.cli

import java.util.Locale

/** The formats of files, known by the endings of their names. */
private[cli] enum FileFormat(val endings: String*) derives CanEqual:
  case Csv extends FileFormat(".csv", ".csv.gz", ".tsv")
  case Parquet extends FileFormat(".parquet")
  case Json extends FileFormat(".json", ".jsonl", ".ndjson")
  case Arrow extends FileFormat(".arrow", ".feather")
  case Struct extends FileFormat()

  def describe: String = this match
    case Struct => "struct file: any other name"
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
