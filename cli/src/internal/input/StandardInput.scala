package undercroft.cli
package internal.input

import internal.io.{BadInput, TemporaryFiles}
import java.io.{BufferedInputStream, InputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

/** Standard input as a file. It is copied to a temporary file, since a struct file, Parquet and SQL
  * read parts of their input more than once.
  */
private[cli] object StandardInput:
  /** Calls `body` with files, in which the copy takes the place of the name `-`. */
  def use[A](files: Seq[String])(body: Seq[String] => A): A =
    if !files.exists(isInput) then body(files)
    else
      if files.count(isInput) > 1 then throw BadInput("standard input, -, is read only once")
      val temporary = TemporaryFiles()
      try
        val copy = copied(System.in.nn, temporary.newFolder(Inputs.temporaryFolder))
        body(files.map(file => if isInput(file) then file.dropRight(1) + copy else file))
      finally temporary.close()

  private def isInput(file: String): Boolean = file == "-" || file.matches("[^=/]+=-")

  private def copied(input: InputStream, folder: Path): Path =
    val stream = BufferedInputStream(input)
    stream.mark(Sample)
    val start = String(stream.readNBytes(Sample), ISO_8859_1)
    stream.reset()
    val file = folder.resolve(s"stdin${ending(start)}").nn
    Files.copy(stream, file): Unit
    file

  private val StructMagic = "\u0089UCR"

  /** The bytes that tell a format. */
  private val Sample = 1024

  private def ending(start: String): String =
    if start.startsWith("PAR1") then ".parquet"
    else if start.startsWith("ARROW1") || start.startsWith("\u00ff\u00ff\u00ff\u00ff") then ".arrow"
    else if start.startsWith(StructMagic) then ""
    else if start.startsWith("\u001f\u008b") then ".csv.gz"
    else if start.stripPrefix("\u00ef\u00bb\u00bf").stripLeading.nn.matches("(?s)[\\[{].*") then
      ".json"
    else ".csv"
end StandardInput
