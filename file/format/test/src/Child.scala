package undercroft.file.format

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.{Files, Path}
import undercroft.tools.ChildJvm

/** Other processes that use the same file. */
object Child:

  /** Runs a command: `append` commits until it is killed and prints the row count after each
    * commit; `open` and `make` print whether the file can be opened for writing or created.
    */
  def main(args: Array[String]): Unit =
    val (mode, path, promise) = (args(0), Path.of(args(1)).nn, Durability.valueOf(args(2)).nn)
    val schema = Samples.schema(FileLayout.valueOf(args(3)).nn)
    mode match
      case "append" =>
        val writer =
          if Files.exists(path) then StructWriter.append(path, schema, Most, promise).nn
          else StructWriter.create(path, schema, Most, promise).nn
        val random = scala.util.Random(args(4).toLong)
        while writer.rows + 1000 < Most do
          Samples.append(writer, 1 + random.nextInt(1000))
          println(writer.rows)
        writer.close()
      case "make" =>
        try
          StructWriter.create(path, schema, Most, promise).close()
          println("made")
        catch case error: StructFileException => println(error.getMessage)
      case "open" =>
        try
          StructWriter.append(path, schema, Most, promise).close()
          println("opened")
        catch case error: StructFileException => println(error.kind)
    end match
  end main

  /** The most rows of a file. */
  val Most = 4_000_000L

  def start(
      mode: String,
      path: Path,
      durability: Durability,
      layout: FileLayout,
      seed: Long
  ): Process =
    start(Nil, mode, path, durability, layout, seed)

  /** As above, with a prefix command that runs the command given to it. */
  def start(
      by: Seq[String],
      mode: String,
      path: Path,
      durability: Durability,
      layout: FileLayout,
      seed: Long
  ): Process =
    val flags = Seq("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    val classes = System.getProperty("java.class.path").nn
    val command =
      by ++ Seq(ChildJvm.JAVA) ++ flags ++ Seq(
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        classes
      ) ++
        Seq(
          "undercroft.file.format.Child",
          mode,
          path.toString,
          durability.name.nn,
          layout.name.nn,
          s"$seed"
        )
    ChildJvm.withoutOptions(ProcessBuilder(command*))
      .redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn
  end start

  def lines(process: Process): BufferedReader =
    BufferedReader(InputStreamReader(process.getInputStream))
end Child
