package undercroft.lab

import scala.util.control.NonFatal
import upickle.default.{read, write}

/** A file in a folder of results has other content, or only a part of it. */
final class InvalidResults(val text: String, cause: Throwable)
    extends IllegalArgumentException(text, cause)

/** The committed files of the lab: its goals, its results, and the verdicts computed from both. */
final class ResultStore(goalsFile: os.Path, folder: os.Path):
  val goals: Seq[Goal] = Goal.all(os.read(goalsFile))

  private def resultsFile(experiment: String) = folder / s"$experiment.json"
  private def envelopeFile(experiment: String) = folder / s"$experiment.run.json"
  val askedFile: os.Path = folder / "asked.json"
  val tableFile: os.Path = folder / "RESULTS.md"

  def results(experiment: String): Results =
    val file = resultsFile(experiment)
    if os.exists(file) then parsed(file)(Results.parse) else Results.empty

  def envelope(experiment: String): Option[RunMetadata] =
    val file = envelopeFile(experiment)
    Option.when(os.exists(file))(parsed(file)(read[RunMetadata](_)))

  /** Whether there are results of any experiment. */
  def hasResults: Boolean = Experiment.all.exists: experiment =>
    os.exists(resultsFile(experiment.name)) || os.exists(envelopeFile(experiment.name))

  private def parsed[A](file: os.Path)(parse: String => A): A =
    // The parser returns null for JSON's null.
    try Option(parse(os.read(file))).getOrElse(throw IllegalArgumentException("it contains null"))
    catch
      case NonFatal(error) =>
        // The parser's exception has the place in the file, its cause has the reason.
        val chain = Iterator.iterate(Option[Throwable](error))(_.flatMap(e => Option(e.getCause)))
        val reasons = chain.takeWhile(_.isDefined).flatten.map(message).mkString(": ")
        throw InvalidResults(s"$file: not results of the lab: $reasons", error)

  private def message(error: Throwable): String =
    Option(error.getMessage).fold(error.toString)(_.nn)

  /** Stores a run: JMH's entries, one in each line, and the metadata beside them.
    *
    * The metadata file marks an experiment as finished, so the old one is deleted first and the new
    * one is written last: a process killed in between leaves an unfinished experiment.
    */
  def keep(envelope: RunMetadata, entries: Seq[ujson.Value]): Unit =
    // The metadata has the version of the JDK; its path is not published.
    val lines =
      entries.map(entry => ujson.write(ujson.Obj.from(entry.obj.filterNot(_._1 == "jvm"))))
    os.remove(envelopeFile(envelope.experiment)): Unit
    whole(resultsFile(envelope.experiment), lines.mkString("[\n", ",\n", "\n]\n"))
    whole(envelopeFile(envelope.experiment), write(envelope, indent = 2) + "\n")

  /** Stores a run of a part of an experiment beside the earlier results of its other steps. Results
    * of steps that both runs contain are replaced.
    */
  def add(envelope: RunMetadata, entries: Seq[ujson.Value]): Unit =
    val steps = entries.map(key).toSet
    val retained = parsed(resultsFile(envelope.experiment)): before =>
      ujson.read(before).arr.toSeq.filterNot(entry => steps(key(entry)))
    val merged = this.envelope(envelope.experiment).fold(envelope)(envelope.after)
    keep(merged.copy(steps = retained.size + entries.size), retained ++ entries)

  private def key(entry: ujson.Value) = read[JmhEntry](entry).key

  /** Writes a file atomically. */
  private def whole(file: os.Path, text: String): Unit =
    val part = file / os.up / s".${file.last}.part"
    os.write.over(part, text, createFolders = true)
    os.move.over(part, file, atomicMove = true)

  /** The text of `asked.json`, computed from the goals and the results. */
  def asked: String = Verdict.json(verdicts.map(_.verdict))

  /** The text of `RESULTS.md`, computed from the same. */
  def table: String = ResultsTable.of(this, verdicts)

  /** The verdict on each goal, and the results that it lacks. */
  lazy val verdicts: Seq[(verdict: Verdict, missing: Seq[Key])] =
    val measures = Experiment.all.flatMap(_.measures).toMap
    val resultsByName = Experiment.all.map(entry => entry.name -> results(entry.name)).toMap
    Verdict.all(goals, measures, resultsByName.getOrElse(_, Results.empty))

  /** The text of a README, its section of numbers computed from the same. */
  def readme(text: String): String = ReadmeTable.in(text, verdicts.map(_.verdict))

  /** Writes both files; of the committed results also the section of the README beside the lab. */
  def compute(): Unit =
    // Both texts first: if a file of results is not valid, nothing is written.
    val texts = Seq(askedFile -> asked, tableFile -> table)
    for (file, text) <- texts do whole(file, text)
    val readmeFile = Command.home / os.up / "README.md"
    if folder.equals(Command.home / "results") then whole(readmeFile, readme(os.read(readmeFile)))
end ResultStore
