package undercroft.file

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.{Files, Path}

/** Other processes on the same file. */
object Child:

  /** What a child is asked to do: `append` commits until it is killed, and says how many rows after
    * each commit; `open` says whether it gets the file to write, and `make` whether it can be made.
    */
  def main(args: Array[String]): Unit =
    val (what, path, promise) = (args(0), Path.of(args(1)).nn, Promise.valueOf(args(2)).nn)
    val schema = Samples.schema(Layout.valueOf(args(3)).nn)
    what match
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
        catch case error: StructFileException => println(error.fault)
    end match
  end main

  /** Rows of a file at the most. */
  val Most = 4_000_000L

  def start(what: String, path: Path, promise: Promise, layout: Layout, seed: Long): Process =
    start(Nil, what, path, promise, layout, seed)

  /** As above, started by a command that runs the command which follows it. */
  def start(
      by: Seq[String],
      what: String,
      path: Path,
      promise: Promise,
      layout: Layout,
      seed: Long
  ): Process =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val flags = Seq("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    val classes = System.getProperty("java.class.path").nn
    val command =
      by ++ Seq(java) ++ flags ++ Seq("--enable-native-access=ALL-UNNAMED", "-cp", classes) ++
        Seq("undercroft.file.Child", what, path.toString, promise.name.nn, layout.name.nn, s"$seed")
    ProcessBuilder(command*).redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn

  def lines(process: Process): BufferedReader =
    BufferedReader(InputStreamReader(process.getInputStream))
end Child
