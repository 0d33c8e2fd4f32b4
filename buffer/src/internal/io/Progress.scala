package undercroft.buffer
package internal.io

/** Calls of sources and sinks that fail without progress, so that a loop around them ends. */
private[buffer] object Progress:
  /** Reads without a byte after which a source fails, the limit of Go's `bufio`. */
  val MaxEmptyReads = 100

  /** Moves at least one byte to the end of `sink`; returns the number of appended bytes, or -1. */
  def read(source: Source, sink: Buffer, byteCount: Long): Long =
    val before = sink.end
    var count = source.read(sink, byteCount)
    var emptyReads = 1
    while count != -1 && sink.end == before do
      if emptyReads == MaxEmptyReads then
        throw NoProgressException(
          s"$emptyReads reads of up to $byteCount bytes of ${source.getClass.getName} returned " +
            s"$count and appended no byte"
        )
      count = source.read(sink, byteCount)
      emptyReads += 1
    if count == -1 then -1 else sink.end - before

  /** Writes bytes that the sink must consume. */
  def write(sink: Sink, source: Buffer, byteCount: Long): Unit =
    val before = source.begin
    sink.write(source, byteCount)
    val consumed = source.begin - before
    if consumed < byteCount then
      throw NoProgressException(
        s"a write of $byteCount bytes to ${sink.getClass.getName} consumed $consumed"
      )

  /** The number of calls of a channel in a row that took no byte, after one that took `bytes`. */
  def emptyWrites(before: Int, bytes: Long, rest: Long): Int =
    if bytes > 0 then 0
    else if before + 1 < MaxEmptyReads then before + 1
    else
      throw NoProgressException(s"$MaxEmptyReads writes of $rest bytes to a channel consumed none")
end Progress
