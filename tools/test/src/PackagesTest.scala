package undercroft.tools

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.util.Using

/** Which packages below `internal` may import which: docs/design/0023. */
class PackagesTest extends Suite:

  /** The packages that a package may import, for each package of a module. */
  private val allowed = Map(
    "memory" -> Map(
      "platform" -> Set.empty[String],
      "cage" -> Set("platform"),
      "alloc" -> Set("platform", "cage", "observe"),
      "observe" -> Set("platform", "cage")
    ),
    "struct" -> Map(
      "bytes" -> Set.empty[String],
      "entries" -> Set("bytes"),
      "hash" -> Set("bytes", "entries"),
      "tree" -> Set("entries"),
      "parallel" -> Set("bytes"),
      "sort" -> Set("bytes", "parallel"),
      "runtime" -> Set("bytes", "parallel", "sort"),
      "macros.schema" -> Set("bytes"),
      "macros.places" -> Set("bytes", "macros.schema"),
      "macros.terms" -> Set("bytes", "macros.schema", "macros.places"),
      "macros.loops" ->
        Set("bytes", "sort", "runtime", "macros.schema", "macros.places", "macros.terms"),
      "macros.access" -> Set(
        "bytes",
        "runtime",
        "macros.schema",
        "macros.places",
        "macros.terms",
        "macros.loops"
      ),
      "macros.maps" -> Set(
        "bytes",
        "entries",
        "hash",
        "tree",
        "sort",
        "runtime",
        "macros.schema",
        "macros.places",
        "macros.terms",
        "macros.loops"
      )
    ),
    "buffer" -> Map(
      "codec" -> Set.empty[String],
      "segment" -> Set("codec"),
      "output" -> Set("codec", "segment"),
      "io" -> Set("codec", "segment")
    ),
    "actor" -> Map(
      "mailbox" -> Set("cell", "dispatch"),
      "cell" -> Set("mailbox", "dispatch"),
      "dispatch" -> Set("mailbox", "cell", "observe"),
      "observe" -> Set("cell", "dispatch"),
      "macros" -> Set("mailbox"),
      "page" -> Set("observe")
    ),
    "actor/opentelemetry" -> Map(
      "metrics" -> Set.empty[String],
      "traces" -> Set("metrics")
    ),
    "actor/persistence" -> Map(
      "log" -> Set.empty[String],
      "journal" -> Set("log"),
      "cell" -> Set("journal")
    ),
    "arrow" -> Map(
      "io" -> Set.empty[String],
      "schema" -> Set("io"),
      "rows" -> Set("io"),
      "ipc" -> Set("io", "schema", "rows"),
      "columns" -> Set("io", "schema", "rows", "ipc"),
      "exchange" -> Set("io", "schema", "ipc", "columns")
    ),
    "duckdb" -> Map(
      "api" -> Set.empty[String],
      "sql" -> Set("api"),
      "result" -> Set("api", "sql"),
      "scan" -> Set("api", "sql"),
      "run" -> Set("api", "sql", "result", "scan")
    ),
    "file/format" -> Map(
      "storage" -> Set.empty[String],
      "schema" -> Set("storage"),
      "metadata" -> Set("storage", "schema"),
      "evolution" -> Set("storage", "schema", "metadata"),
      "codec" -> Set("storage", "schema", "metadata", "evolution"),
      "folder" -> Set("storage", "schema", "metadata", "evolution")
    ),
    "cli" -> Map(
      "io" -> Set.empty[String],
      "sql" -> Set("io"),
      "csv" -> Set("io", "sql"),
      "input" -> Set("io", "sql", "csv"),
      "convert" -> Set("io", "sql", "csv", "input"),
      "show" -> Set("io", "sql", "input", "convert")
    ),
    "exchange" -> Map(
      "text" -> Set.empty[String],
      "storage" -> Set("text"),
      "options" -> Set("storage"),
      "run" -> Set("text", "storage", "options"),
      "report" -> Set("text", "storage", "run"),
      "trades" -> Set("text", "storage", "options")
    ),
    "spark" -> Map(
      "columns" -> Set.empty[String],
      "vectors" -> Set("columns"),
      "folder" -> Set("columns", "vectors"),
      "scan" -> Set("columns", "vectors", "folder"),
      "write" -> Set("columns", "vectors", "folder")
    ),
    "pekko" -> Map(
      "delivery" -> Set.empty[String],
      "bridge" -> Set("delivery"),
      "wire" -> Set("bridge"),
      "codec" -> Set("wire"),
      "macros" -> Set("codec", "wire"),
      "lease" -> Set("bridge", "delivery"),
      "stream" -> Set.empty[String]
    )
  )

  private val Here = """(?m)^package (?:undercroft\.[\w.]+\.)?internal\.([\w.]+?);?$""".r

  /** The package of each import and of each full name that is below `internal` of `module`. */
  private def imported(module: String, text: String, rooms: Set[String]): Set[String] =
    val parent = module.replace("/", "\\.")
    val name = s"(?:import |undercroft\\.$parent\\.)internal\\.([a-z]+(?:\\.[a-z]+)?)".r
    val uses = name.findAllMatchIn(text).map(_.group(1).nn).toSet
    uses.map(use => if rooms(use) then use else use.takeWhile(_ != '.'))

  private val root = Path.of(sys.env("UNDERCROFT"))

  /** A line of the drawn house: a module, its most lines, and its rooms with their lines. */
  private val Drawn = """(?m)^([a-z/0-9]+) +(\d+)((?: +[\w.]+:\d+)*)$""".r

  private val house =
    val page = Files.readString(root.resolve("docs/design/0023-packages-inside-a-module.md"))
    Drawn.findAllMatchIn(page).map(line =>
      (line.group(1).nn, line.group(2).nn.toInt, line.group(3).nn)
    )
      .toList

  private def lines(files: List[Path]): Int = files.map(Files.readAllLines(_).size).sum

  private def sources(folder: Path): List[Path] = Using.resource(Files.walk(folder)): paths =>
    paths.iterator.asScala.filter(_.toString.matches(".*\\.(scala|java)")).toList

  test("the drawn house has every published module, and the rooms of each"):
    val published = Using.resource(Files.walk(root, 3)): paths =>
      paths.iterator.asScala.filter(_.endsWith("api.txt"))
        .map(file => root.relativize(file.getParent).toString)
        .filterNot(_.startsWith("out/")).toSet
    assertEquals(published -- house.map((module, _, _) => module), Set.empty[String])
    for (module, _, rooms) <- house do
      val names = rooms.split(' ').filter(_.nonEmpty).map(_.takeWhile(_ != ':')).toSet
      assertEquals(names, allowed.get(module).fold(Set.empty[String])(_.keySet), module)

  for (module, most, rooms) <- house do
    test(s"$module has at most $most lines, and each room about as many as are drawn"):
      val count = lines(sources(root.resolve(s"$module/src")))
      assert(count <= most, s"$module has $count lines: raise its limit in page 23 with a reason")
      for case s"$room:$drawn" <- rooms.split(' ') do
        val files = sources(root.resolve(s"$module/src/internal/${room.replace('.', '/')}"))
        assertEqualsDouble(lines(files), drawn.toDouble, Math.max(100, drawn.toDouble / 10), room)

  for (module, rules) <- allowed do
    test(s"internal packages of $module import only allowed packages"):
      val folder = root.resolve(s"$module/src")
      val violations =
        for
          file <- sources(folder)
          text = Files.readString(file)
          room <- Here.findFirstMatchIn(text).map(_.group(1).nn).toList
          target <- imported(module, text, rules.keySet)
          if target != room && !rules(room)(target)
        yield s"${file.getFileName} imports $target"
      assertEquals(violations.toSet, Set.empty[String])

    test(s"each file in the internal folder of $module is in the package of its folder"):
      val folder = root.resolve(s"$module/src/internal")
      for file <- sources(folder) do
        val room = folder.relativize(file.getParent).toString.replace('/', '.')
        val clause = Here.findFirstMatchIn(Files.readString(file)).map(_.group(1).nn)
        assertEquals(clause, Some(room), file.toString)
end PackagesTest
