package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.schema.ArrowField
import org.apache.arrow.flatbuf.{MessageHeader, Schema}

/** The metadata of a file in Arrow's stream format: a schema, then dictionaries and record batches,
  * up to the end marker or the end of the file.
  */
private[arrow] object StreamContent:

  def read(input: FileInput): FileContent =
    val messages = MessageReader(input)
    val first = messages.atStream(0).getOrElse:
      throw input.error(0, ArrowErrorKind.NotAnArrowFile, "the stream ends before its schema")
    val fields = schema(input, first)
    val batches = Vector.newBuilder[BatchHeader]
    val dictionaries = DictionaryVersions(input, isFile = false)
    var next = messages.atStream(first.body.at + first.body.bytes)
    while next.isDefined do
      val message = next.get
      message.headerType match
        case MessageHeader.RecordBatch =>
          batches += messages.batch(message).copy(dictionaries = dictionaries.current)
        case MessageHeader.DictionaryBatch => dictionaries.add(messages.dictionary(message))
        case other =>
          throw input.error(
            message.at,
            ArrowErrorKind.Unsupported,
            s"a message of type $other, which is neither a batch nor a dictionary"
          )
      next = messages.atStream(message.body.at + message.body.bytes)
    FileContent.of(input, fields, batches.result(), dictionaries.result())
  end read

  private def schema(input: FileInput, first: ArrowMessage): Vector[ArrowField] =
    input.parsed(first.at, "the schema"):
      if first.headerType != MessageHeader.Schema then
        throw input.corrupt(first.at, "the first message is not the schema")
      val schema = Schema()
      first.message.header(schema)
      FileContent.fields(input, first.at, first.message.version, schema)
end StreamContent
