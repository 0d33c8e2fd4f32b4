package undercroft.examples

import java.io.{ByteArrayOutputStream, PrintStream}

/** The subject of an example, by the packages that it imports. */
enum Topic(val packages: String*) derives CanEqual:
  case Actors extends Topic("actor")
  case Files extends Topic("file", "arrow", "duckdb")
  case Buffers extends Topic("buffer", "thrift")
  case Structs extends Topic("struct", "memory")

/** The files under `examples/src`. Each is a program run by its `@main`, which has the file's name.
  * The comment at the end of the file, after a line `// prints:`, is its expected output. A line
  * `// runs on: Linux amd64` names the only system and processor that it runs on.
  */
object Examples:

  private val marker = "// prints:"
  private val platformMarker = "// runs on: "

  final case class Example(name: String, code: Vector[String], prints: Vector[String]):

    /** The only system and processor that the program runs on. */
    def platform: Option[String] =
      code.find(_.startsWith(platformMarker)).map(_.stripPrefix(platformMarker))

    /** The first topic with a package that the program imports. */
    def topic: Topic = Topic.values.find: topic =>
      topic.packages.exists(name => code.exists(_.startsWith(s"import undercroft.$name.")))
    .getOrElse(Topic.Structs)

  /** The system and the processor of this JVM. */
  val platform: String = s"${sys.props("os.name")} ${sys.props("os.arch")}"

  /** The root of the repository. */
  val repository: os.Path = os.Path(sys.env("UNDERCROFT"))

  def all: Vector[Example] =
    os.list(repository / "examples" / "src").filter(_.ext == "scala").map(read).toVector

  /** The lines of all programs, also those under `examples/cluster`, which that module's tests run.
    */
  lazy val sources: Vector[Vector[String]] =
    val cluster = os.list(repository / "examples" / "cluster" / "src").filter(_.ext == "scala")
    all.map(_.code) ++ cluster.map(os.read.lines(_).toVector)

  private def read(file: os.Path): Example =
    val (code, rest) = os.read.lines(file).toVector.span(_ != marker)
    Example(file.baseName, code, rest.drop(1).map(_.stripPrefix("//").stripPrefix(" ")))

  /** Runs an example in this JVM and returns the lines that it printed. */
  def run(name: String): Vector[String] =
    val out = ByteArrayOutputStream()
    val stream = PrintStream(out, true)
    val main = Class.forName(name).getMethod("main", classOf[Array[String]])
    val before = System.out
    System.setOut(stream) // for the backend of a logger
    try Console.withOut(stream)(main.invoke(null, Array.empty[String]))
    finally System.setOut(before)
    out.toString.linesIterator.toVector
end Examples
