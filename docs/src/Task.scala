package undercroft.docs

/** Something that a reader wants to do, and the page that says how.
  *
  * @param search
  *   words that the reader types: the search finds the page among its first three results
  * @param source
  *   the page, by its path below the repository: at most two clicks from the front page
  * @param contains
  *   words that the page must contain
  */
final case class Task(name: String, search: String, source: String, contains: Seq[String])

object Task:
  private def howTo(name: String, search: String, page: String, contains: String*) =
    Task(name, search, s"docs/howto/$page.md", contains)

  private def guide(name: String, search: String, page: String, contains: String*) =
    Task(name, search, s"docs/guide/$page.md", contains)

  private def from(library: String, page: String, contains: String*) =
    Task(s"migration from $library", s"from $library", s"docs/migration/from-$page.md", contains)

  val all: Seq[Task] = Seq(
    howTo("a CSV file into columns", "load csv", "load-csv", "Columns"),
    howTo("a Parquet file into columns", "parquet", "load-parquet", "Hardwood", "DuckDB"),
    howTo("messages of a queue into columns", "kafka", "load-messages", "commit", "RabbitMQ"),
    howTo("a cache of ten million sessions", "cache sessions", "cache-sessions", "expire"),
    howTo("a table shared by threads", "share table threads", "share-a-table", "Region.shared"),
    howTo("a binary protocol on a socket", "binary protocol", "binary-protocol", "readFrame"),
    howTo(
      "a file that other programs read while it grows",
      "append file python",
      "append-and-read-elsewhere",
      "## Python",
      "## DuckDB",
      "## Spark"
    ),
    howTo("actors with back-pressure", "back-pressure", "apply-back-pressure", "Overflow"),
    howTo("a memory limit in a container", "docker", "limit-memory", "docker", "Budget"),
    howTo("Kubernetes", "kubernetes", "limit-memory", "readOnlyRootFilesystem", "Prometheus"),
    howTo("a leak", "find leak", "find-a-leak", "recordLeaks"),
    howTo("profiling of allocations", "profile allocations", "allocate-nothing", "jfr"),
    howTo("tests of actors", "test actors", "test-actors", "simulate"),
    howTo("actors in a cluster", "cluster", "pekko", "toPekko", "MessageCodec", "## Failures"),
    howTo("persistent entities", "persistent entities", "pekko", "ShardJournals"),
    howTo("Pekko Streams", "pekko streams", "pekko-streams", "ByteStreams", "RowStreams"),
    howTo("Netty", "netty", "netty", "readByteBuf", "channel.source()", "## Owners"),
    howTo("JSON", "json", "json", "readJsonFrame", "jsonLines"),
    howTo("FS2", "fs2", "fs2", "ByteStreams.source", "toChunk"),
    howTo("memory shared with C", "call C function", "share-memory-with-c", "qsort"),
    howTo("a small runtime", "jlink", "link-a-runtime", "--add-modules"),
    howTo("a native image", "graalvm native image", "native-image", "downcall"),
    howTo("a Maven or Gradle build", "maven gradle", "set-up-a-build", "## Maven", "## Gradle"),
    howTo("an editor", "metals intellij", "set-up-a-build", "## Metals"),
    howTo("a notebook or a REPL", "notebook repl", "use-class-loaders"),
    howTo("a fast start", "start faster", "start-faster"),
    guide("output beyond 2 GiB", "replace ByteArrayOutputStream", "output"),
    guide("sorting", "sort group", "sorting-and-grouping"),
    guide("an off-heap hash map", "hash map", "maps-and-sets"),
    guide("an ordered map", "ordered map", "maps-and-sets", "StructTreeMap"),
    guide("metrics to Prometheus", "prometheus metrics", "actor-observation", "Prometheus"),
    guide("event sourcing", "persistent actor", "actor-persistence"),
    Task("pandas", "pandas", "python/README.md", Seq("to_pandas")),
    Task("deprecated names", "deprecated name", "docs/reference/compatibility.md", Seq()),
    Task("frequent questions", "questions", "docs/faq.md", Seq("## Compared with")),
    from("Unsafe", "unsafe"),
    from("ByteBuffer", "bytebuffer"),
    from("java.lang.foreign", "java-lang-foreign"),
    from("scala-offheap", "scala-offheap"),
    from("Chronicle", "chronicle", "## Values", "## Queue", "## Map"),
    from("Okio", "okio"),
    from("Netty", "netty"),
    from("Agrona", "agrona"),
    from("Pekko", "pekko"),
    from("Erlang", "erlang")
  )
end Task
