package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.rows.Chunk
import internal.schema.{ArrowField, ArrowType}
import scala.collection.mutable.HashMap

/** Collects the dictionary batches of a file or a stream in their order. Confined to one thread.
  *
  * @param isFile
  *   whether a dictionary is forbidden to replace another one
  */
private[arrow] final class DictionaryVersions(input: FileInput, isFile: Boolean):
  private val batches = Vector.newBuilder[DictionaryHeader]
  private var count = 0
  private var versions = Map[Long, DictionaryVersion]()

  def add(batch: DictionaryHeader): Unit =
    val previous = versions.get(batch.id)
    if batch.isDelta && previous.isEmpty then
      throw input.corrupt(
        batch.header.at,
        s"a delta of dictionary ${batch.id} precedes the dictionary"
      )
    if !batch.isDelta && previous.isDefined && isFile then
      throw input.corrupt(
        batch.header.at,
        s"dictionary ${batch.id} has a second batch that is not a delta, which only a stream may have"
      )
    versions = versions.updated(
      batch.id,
      DictionaryVersion(count, previous.filter(_ => batch.isDelta))
    )
    batches += batch
    count += 1

  /** The versions by the ids of the dictionaries, after the batches that were added. */
  def current: Map[Long, DictionaryVersion] = versions

  def result(): Vector[DictionaryHeader] = batches.result()
end DictionaryVersions

/** The dictionaries of a file or a stream. The values of the version of a dictionary that was used
  * last are kept on the heap. Confined to one thread.
  */
private[arrow] final class Dictionaries(val batches: Vector[DictionaryHeader]):
  import Dictionaries.*

  private val cache = HashMap[Long, (DictionaryVersion, Vector[Option[String]])]()

  /** The values that the dictionary of a field has for a record batch; None if it is missing. */
  def values(
      input: FileInput,
      head: BatchHeader,
      field: ArrowField,
      path: String
  ): Option[Vector[Option[String]]] =
    for (id, _) <- field.dictionary; version <- head.dictionaries.get(id)
    yield values(input, id, version, field, path)

  private def values(
      input: FileInput,
      id: Long,
      version: DictionaryVersion,
      field: ArrowField,
      path: String
  ): Vector[Option[String]] =
    val kept = cache.get(id)
    // Usually one delta is new since the last record batch.
    var added = List[DictionaryVersion]()
    var first = Option(version)
    while first.exists(older => !kept.exists((last, _) => last eq older)) do
      added = first.toList ++ added
      first = first.flatMap(_.previous)
    val start = if first.isDefined then kept.fold(Vector())((_, values) => values) else Vector()
    val all = added.foldLeft(start): (values, part) =>
      val header = batches(part.batch).header
      val more = read(input, field, header, path)
      checkCount(input, header, values.size + more.size, path)
      values ++ more
    if added.nonEmpty then cache(id) = (version, all)
    all
  end values

  /** Whether a value that the dictionary of a field has for any record batch is null. */
  def hasNulls(input: FileInput, field: ArrowField, path: String): Boolean =
    batches.exists: batch =>
      field.dictionary.exists((id, _) => batch.id == id) && batch.header.nodes.exists(_._2 > 0) &&
        read(input, field, batch.header, path).contains(None)

  /** The distinct values that the dictionary of a field has for any record batch; None if it is
    * missing.
    */
  def allValues(input: FileInput, field: ArrowField, path: String): Option[Vector[String]] =
    val parts = batches.filter(batch => field.dictionary.exists((id, _) => batch.id == id))
    Option.when(parts.nonEmpty):
      parts
        .foldLeft((Vector[String](), Set[String]())):
          case ((values, known), part) =>
            val more =
              read(input, field, part.header, path).flatten.distinct.filterNot(known.contains)
            checkCount(input, part.header, values.size + more.size, path)
            (values ++ more, known ++ more)
        ._1
end Dictionaries

private[arrow] object Dictionaries:
  /** Limits on the number and the length in bytes of values, because they are kept on the heap. */
  private inline val MostValues = 1 << 16
  private inline val LongestValue = 1 << 12

  private def checkCount(input: FileInput, head: BatchHeader, count: Long, path: String): Unit =
    if count > MostValues then
      throw input.error(
        head.at,
        ArrowErrorKind.Unsupported,
        s"the dictionary of `$path` must have at most $MostValues values, but has $count: " +
          "write the field without a dictionary"
      )

  /** The values of a dictionary batch. */
  private def read(
      input: FileInput,
      field: ArrowField,
      head: BatchHeader,
      path: String
  ): Vector[Option[String]] =
    val place = FieldBuffers.all(input, Vector(field.copy(dictionary = None)), head).head
    field.tpe match
      case ArrowType.Utf8(_) | ArrowType.Utf8View => ()
      case valueType =>
        throw input.error(
          head.at,
          ArrowErrorKind.WrongSchema,
          s"the dictionary of `$path` must contain text, but contains ${valueType.show}: write the " +
            "field without a dictionary"
        )
    if place.rows != head.rows then
      throw input.corrupt(
        head.at,
        s"the dictionary of `$path` must have ${head.rows} values, but has ${place.rows}"
      )
    checkCount(input, head, place.rows, path)
    val texts = TextBuffers.of(input, place)
    val count = place.rows.toInt
    val there =
      ValidityBitmap.of(input, place).of(Chunk.ofRows(0, 0, count), Array.fill(count)(true))
    val entries = Array.fill[Option[String]](count)(None)
    texts.each(0, count, LongestValue, there): (i, at, length) =>
      if length > LongestValue then
        throw input.error(
          at,
          ArrowErrorKind.Unsupported,
          s"a dictionary value must have at most $LongestValue bytes, but has $length"
        )
      entries(i) = Some(String(texts.bytes, 0, length, "UTF-8"))
    entries.toVector
  end read
end Dictionaries
