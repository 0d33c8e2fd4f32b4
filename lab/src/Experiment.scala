package undercroft.lab

import undercroft.report.{FigureText, Hue, Owner}

/** A question, the benchmarks that answer it and the rivals they are compared with.
  *
  * To add one, add one file: an object whose name ends in `Experiment`; the lab finds it.
  */
trait Experiment:
  /** Its name on the command line, in `goals.json` and in the files under `results`. */
  def name: String

  /** Its question, in one sentence. */
  def question: String

  /** The article that it reruns, with the article's own figures. */
  def article: Option[Article]

  /** The results that its article's table shows. */
  final def shown: Set[Key] =
    article.toSet.flatMap(_.tables).flatMap(_.rows).flatMap(_.here.flatten).map(_.key)

  /** The benchmark classes of `lab/bench`, by their simple names. */
  def benchmarks: Seq[String]

  /** Notes that a reader needs beside the figures, one element for each paragraph. */
  def notes: Seq[String] = Seq()

  /** Whether a quick run measures this, too, beside what the article's table shows; a full one
    * measures everything.
    */
  def atFirstLook(key: Key): Boolean = true

  /** Whether a quick run leaves this out, although the article's table shows it: it takes minutes.
    */
  def onlyInFull(key: Key): Boolean = false

  /** Whether JMH's stack profiler is on while this is measured. */
  def sampled(key: Key): Boolean = false

  /** Whether one call takes seconds: then a round has one warm-up and one measured call. */
  def slow(key: Key): Boolean = false

  /** The reason why this cannot be measured on this machine. */
  def lack(key: Key): Option[String] = rival(key).absence

  /** Whose code a result measures. */
  def rival(key: Key): Rival

  /** How the number of each of its goals is computed. */
  def measures: Map[String, Measure]

  /** The charts of the report. */
  def charts: Seq[Chart]
end Experiment

object Experiment:
  /** All experiments, by name. */
  lazy val all: Seq[Experiment] =
    val classes = classOf[Experiment].getProtectionDomain.nn.getCodeSource.nn.getLocation.nn
    val folder = os.Path(java.nio.file.Path.of(classes.toURI)) / "undercroft" / "lab"
    val names = os.list(folder).map(_.last).collect { case s"${name}Experiment$$.class" => name }
    names.filter(_.nonEmpty).sorted.map: name =>
      val module = Class.forName(s"undercroft.lab.${name}Experiment$$").nn
      module.getField("MODULE$").nn.get(null) match
        case experiment: Experiment => experiment
        case other => throw IllegalStateException(s"${other} is named like an experiment")

  def named(name: String): Option[Experiment] = all.find(_.name == name)
end Experiment

/** An article that an experiment reruns: its finding, and its printed tables with our results
  * beside each line.
  *
  * @param by
  *   its author and year, if they are known
  * @param program
  *   the name of its program among the examples, on this library
  * @param verdict
  *   the article's conclusion beside ours in one sentence, if its results exist
  */
final case class Article(
    title: String,
    by: Option[String],
    program: String,
    found: String,
    tables: Seq[Printed] = Seq(),
    verdict: Results => Option[String] = _ => None
):
  /** The title, the author and the year. */
  def heading: String = title + by.fold("")(by => s" ($by)")

  /** The file of its program. */
  def example: String = s"examples/src/$program.scala"

/** A table of an article.
  *
  * @param columns
  *   the titles of its own columns
  * @param here
  *   the titles of the columns of our results
  */
final case class Printed(columns: Seq[String], here: Seq[String], rows: Seq[Past])

/** A line of an article's table, and the corresponding measurements made here.
  *
  * @param base
  *   the results whose times are divided by those of this line, where the article printed ratios
  */
final case class Past(cells: Seq[String], here: Seq[Option[Shown]], base: Seq[Key] = Seq())

/** A result, and its text beside an article's figure. */
final case class Shown(key: Key, told: Result => String = Shown.time(1))

object Shown:
  /** The time of so many calls, in the unit that fits it, with the garbage collector's share. */
  def time(calls: Double)(result: Result): String =
    val time =
      result.millis.fold("")(millis => FigureText.time((BigDecimal(millis) * 1e6 * calls).toDouble))
    val collecting = result.collecting.filter(_ >= 0.01).fold("")(share =>
      s" (${FigureText.percent(share)} in GC)"
    )
    time + collecting

  /** The bytes that a call allocates. */
  def bytes(result: Result): String =
    result.bytesPerCall.fold("")(samples => s"${FigureText(samples.mean)} B")

  /** The bytes that are allocated in a second. */
  def rate(result: Result): String =
    val rate = for bytes <- result.bytesPerCall; millis <- result.millis yield bytes.mean / millis
    rate.fold("")(bytes => s"${FigureText(FigureText.rounded(bytes / 1000))} MB/s")

  /** The garbage collections while it was measured, and the time that they took. */
  def collections(result: Result): String =
    result.collections.fold(""): (count, millis) =>
      s"${FigureText(count)} in ${FigureText.time(millis * 1e6)}"
end Shown

/** Whose code is measured. */
enum Rival(val label: String, hue: Hue) derives CanEqual:
  case Undercroft extends Rival("Undercroft", Hue.Teal)
  case Heap extends Rival("heap", Hue.Violet)
  case Unsafe extends Rival("Unsafe", Hue.Orange)
  case Ffm extends Rival("FFM", Hue.Olive)
  case Direct extends Rival("direct", Hue.Rose)
  case Malloc extends Rival("malloc", Hue.Slate)
  case ScalaOffheap extends Rival("scala-offheap", Hue.Brown)
  case C extends Rival("C", Hue.Blue)
  case Okio extends Rival("Okio", Hue.Sky)
  case Pekko extends Rival("Pekko", Hue.Blue)
  case Erlang extends Rival("Erlang", Hue.Rose)
  case Ox extends Rival("Ox", Hue.Olive)
  case Netty extends Rival("Netty", Hue.Brown)
  case Agrona extends Rival("Agrona", Hue.Brown)
  case Hppc extends Rival("HPPC", Hue.Olive)
  case DuckDb extends Rival("DuckDB", Hue.Orange)
  case Polars extends Rival("Polars", Hue.Slate)
  case PythonParquet extends Rival("Parquet in Python", Hue.Blue)
  case Sqlite extends Rival("SQLite", Hue.Blue)
  case Lmdb extends Rival("LMDB", Hue.Orange)
  case Lance extends Rival("Lance", Hue.Rose)
  case Spark extends Rival("Spark", Hue.Rose)

  /** Its name and colour in charts. */
  def owner: Owner = Owner(label, hue)

  /** The reason why it cannot take part on this machine. */
  def absence: Option[String] = this match
    case C if bench.CTrades.program.isEmpty        => Some("no gcc on the PATH: C is skipped")
    case Erlang if bench.ErlangRing.folder.isEmpty => Some(Rival.noErlang)
    case _                                         => None
end Rival

object Rival:
  private val noErlang = "no erl on the PATH: Erlang is skipped"

  def labelled(label: String): Option[Rival] =
    values.find(_.label.equalsIgnoreCase(label))

/** A chart of results; `of` names the results that it shows. */
enum Chart(val title: String, val of: Key => Option[String]) derives CanEqual:
  /** One bar with its error for each result; lower is better. */
  case Bars(caption: String, shown: Key => Option[String]) extends Chart(caption, shown)

  /** A line for each name, over the number at `place`, both axes logarithmic; `part` selects the
    * displayed part of a call's time.
    */
  case Lines(
      caption: String,
      over: String,
      place: Key => Double,
      shown: Key => Option[String],
      part: Key => Double = _ => 1
  ) extends Chart(caption, shown)

  /** A line for each name, over its iterations one after another. */
  case Course(caption: String, over: String, shown: Key => Option[String])
      extends Chart(caption, shown)

  /** A line for each name, over the time since the start, both axes logarithmic: the calls of a
    * second. An iteration has so many calls.
    */
  case Rates(caption: String, shown: Key => Option[String], calls: Double)
      extends Chart(caption, shown)
end Chart

object Chart:
  /** Lines over a parameter. */
  def lines(caption: String, over: String)(shown: Key => Option[String]): Chart =
    Chart.Lines(caption, over, key => key.params(over).toDouble, shown)
