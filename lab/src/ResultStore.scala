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

  /** The file with the finished steps of a run in progress, or of a killed one. */
  def stepsFile(experiment: String): os.Path = folder / s"$experiment.steps.jsonl"
  val askedFile: os.Path = folder / "asked.json"
  val tableFile: os.Path = folder / "RESULTS.md"

  def results(experiment: String): Results =
    val file = resultsFile(experiment)
    if os.exists(file) then parsed(file)(Results.parse) else Results.empty

  def envelope(experiment: String): Option[RunMetadata] =
    val file = envelopeFile(experiment)
    Option.when(os.exists(file))(parsed(file)(read[RunMetadata](_)))

  /** Whether an experiment was run, even if each of its steps has failed. */
  def isRun(experiment: String): Boolean =
    envelope(experiment).isDefined || results(experiment).byKey.nonEmpty

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

  /** Stores a run: JMH's entries, one in each line, and the metadata beside them. The earlier
    * results of steps that have failed stay, marked with their day. If it `adds`, those of all
    * steps stay that the run does not contain.
    */
  def keep(
      envelope: RunMetadata,
      entries: Seq[ujson.Value],
      failed: Set[Key] = Set(),
      adds: Boolean = false
  ): Unit =
    val name = envelope.experiment
    val measured = entries.map(key).toSet
    val (earlier, run) = (stored(name), this.envelope(name))
    val retained = earlier.filter(entry => !measured(key(entry)) && (adds || failed(key(entry))))
    for entry <- retained if failed(key(entry)) && !entry.obj.contains("measured"); old <- run do
      entry("measured") = old.started.takeWhile(_ != 'T')
    val merged = if adds then run.fold(envelope)(envelope.after) else envelope
    val all = retained ++ entries
    // The metadata has the version of the JDK; its path is not published.
    val lines = all.map(entry => ujson.write(ujson.Obj.from(entry.obj.filterNot(_._1 == "jvm"))))
    whole(resultsFile(name), lines.mkString("[\n", ",\n", "\n]\n"))
    val steps = if retained.isEmpty then merged.steps else all.size
    whole(envelopeFile(name), write(merged.copy(steps = steps), indent = 2) + "\n")

  private def stored(experiment: String): Seq[ujson.Value] =
    val file = resultsFile(experiment)
    if os.exists(file) then parsed(file)(ujson.read(_).arr.toSeq) else Seq()

  private def key(entry: ujson.Value) = read[JmhEntry](entry).key

  /** Writes a file atomically. */
  private def whole(file: os.Path, text: String): Unit =
    val part = file / os.up / s".${file.last}.part"
    os.write.over(part, text, createFolders = true)
    os.move.over(part, file, atomicMove = true)

  /** The text of `asked.json`, computed from the goals and the results. */
  def asked: String = Verdict.json(verdicts)

  /** The text of `RESULTS.md`, computed from the same. */
  def table: String = ResultsTable.of(this, verdicts)

  /** The verdict on each goal. */
  lazy val verdicts: Seq[Verdict] =
    val measures = Experiment.all.flatMap(_.measures).toMap
    val resultsByName = Experiment.all.map(entry => entry.name -> results(entry.name)).toMap
    Verdict.all(goals, measures, resultsByName.getOrElse(_, Results.empty))

  /** The text of a README, its section of numbers computed from the same. */
  def readme(text: String): String = ReadmeTable.in(text, verdicts)

  /** Writes both files; of the committed results also the section of the README beside the lab. */
  def compute(): Unit =
    // Both texts first: if a file of results is not valid, nothing is written.
    val texts = Seq(askedFile -> asked, tableFile -> table)
    for (file, text) <- texts do whole(file, text)
    val readmeFile = Command.home / os.up / "README.md"
    if folder.equals(Command.home / "results") then whole(readmeFile, readme(os.read(readmeFile)))
end ResultStore
