package undercroft.exchange
package internal.run

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8

/** Reads a process's standard error to its end, in a thread of its own, and keeps the first lines:
  * a JVM that does not start says there why.
  */
private[exchange] final class Errors(process: Process):
  private val lines = StringBuilder()

  private val reading = Thread(() =>
    val reader = BufferedReader(InputStreamReader(process.getErrorStream, UTF_8))
    try
      var line = reader.readLine()
      while line != null do
        if lines.length < Errors.LongestKept then lines.append(line).append('\n'): Unit
        line = reader.readLine()
    catch case _: IOException => () // the process was destroyed meanwhile
  )
  reading.setDaemon(true)
  reading.start()

  /** The lines kept, without the JVM's messages at every start. Waits for the last line of the
    * process.
    */
  def words: Seq[String] =
    reading.join()
    lines.toString.linesIterator
      .filterNot(line =>
        line.isBlank || line.startsWith("Picked up ") || line.startsWith("WARNING")
      )
      .toSeq
end Errors

private[exchange] object Errors:
  /** Characters of standard error kept: enough for a reason, too little for a flood. */
  val LongestKept = 16 * 1024
