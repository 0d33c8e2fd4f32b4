package undercroft.exchange

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8

/** Reads a process's standard error to its end, in a thread of its own, and keeps the first lines:
  * a JVM that does not start says there why.
  */
private[exchange] final class Errors(process: Process):
  private val kept = StringBuilder()

  private val reading = Thread(() =>
    val reader = BufferedReader(InputStreamReader(process.getErrorStream, UTF_8))
    try
      var line = reader.readLine()
      while line != null do
        if kept.length < Errors.LongestKept then kept.append(line).append('\n'): Unit
        line = reader.readLine()
    catch case _: IOException => () // the process was destroyed meanwhile
  )
  reading.setDaemon(true)
  reading.start()

  /** The lines kept, without what the JVM says at every start. Waits for the process's last line.
    */
  def words: Seq[String] =
    reading.join()
    kept.toString.linesIterator
      .filterNot(line =>
        line.isBlank || line.startsWith("Picked up ") || line.startsWith("WARNING")
      )
      .toSeq
end Errors

private object Errors:
  /** Characters of standard error kept: enough for a reason, too little for a flood. */
  val LongestKept = 16 * 1024
