package undercroft.lab

/** Lookups of rows in a file as whole processes: the programs of `lab/jobs/lookups`. */
object LookupsExperiment extends Experiment:
  val name = "lookups"
  val question =
    "How long does a lookup of a row of 1 KiB in a file take, beside stores and formats?"
  val article = None
  val benchmarks = Seq("PointLookups")

  override val notes = Seq(
    "A file has a million items (100 000 at a first look): a number, and a vector of 254 floats. All programs look up the same " +
      "items at random, one after another in one thread, and sum up each vector. `writeNanos` is the " +
      "time of an item when the file is written, with a durable commit for each 10 000 (Lance and " +
      "Parquet: at the end); `coldNanos` of a lookup, of 3000, in a file that the system's cache does " +
      "not have; `warmNanos` in one that it has, after as many others; `appendNanos` of an item that " +
      "is added in commits of 100, and `besideNanos` of a lookup meanwhile, by another thread.",
    "LMDB runs by lmdbjava, its read-ahead off, as in our table; SQLite by its JDBC driver with a " +
      "write-ahead log and full synchronisation. Lance and Parquet run in Python, which is a part of " +
      "their times: a take of one row, and the group of 1000 rows that has the item, without " +
      "compression. A Parquet file is not appended to. A row of ours is found by its number; the " +
      "other stores search an index for it."
  )

  override def lack(key: Key): Option[String] = bench.PointLookups.lack(key.params("program"))

  override def slow(key: Key): Boolean = true

  override def atFirstLook(key: Key): Boolean = key.params("items") == "100000"

  def rival(key: Key): Rival = key.params("program") match
    case "Lmdb"    => Rival.Lmdb
    case "Sqlite"  => Rival.Sqlite
    case "lance"   => Rival.Lance
    case "parquet" => Rival.PythonParquet
    case _         => Rival.Undercroft

  private def time(program: String, counter: String) =
    Key("PointLookups.run", "items" -> "1000000", "program" -> program).counted(counter)

  private def all(counter: String, rivals: String*) = Measure.Speedup:
    for rival <- rivals yield Pair(time("Ours", counter), time(rival, counter))

  val measures = Map(
    "lookups-write" -> all("writeNanos", "Lmdb", "Sqlite", "lance", "parquet"),
    "lookups-cold" -> all("coldNanos", "Lmdb", "Sqlite", "lance", "parquet"),
    "lookups-warm" -> all("warmNanos", "Lmdb", "Sqlite", "lance", "parquet"),
    "lookups-append" -> all("appendNanos", "Lmdb", "Sqlite", "lance"),
    "lookups-beside" -> all("besideNanos", "Lmdb", "Sqlite", "lance")
  )

  private def chart(title: String, counter: String) = Chart.Bars(
    title,
    key =>
      Option.when(key.benchmark == s"PointLookups.run:$counter"):
        s"${key.params("program")}, ${key.params("items")}"
  )

  val charts = Seq(
    chart("A lookup in a file that is not in the cache, by program", "coldNanos"),
    chart("A lookup in a file in the cache, by program", "warmNanos")
  )
end LookupsExperiment
