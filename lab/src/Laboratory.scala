package undercroft.lab

import upickle.default.{read, write}

/** The committed files of the lab: its goals, its results, and what is computed from both. */
final class Laboratory(goalsFile: os.Path, folder: os.Path):
  val goals: Seq[Goal] = Goal.all(os.read(goalsFile))

  private def resultsFile(experiment: String) = folder / s"$experiment.json"
  private def envelopeFile(experiment: String) = folder / s"$experiment.run.json"
  val askedFile: os.Path = folder / "asked.json"
  val tableFile: os.Path = folder / "RESULTS.md"

  def results(experiment: String): Results =
    val file = resultsFile(experiment)
    if os.exists(file) then Results.parse(os.read(file)) else Results.none

  def envelope(experiment: String): Option[Envelope] =
    val file = envelopeFile(experiment)
    Option.when(os.exists(file))(read[Envelope](os.read(file)))

  /** Keeps a run: JMH's entries, one a line, and the envelope beside them.
    *
    * The envelope says that an experiment is finished, so it goes first and comes last: who is
    * killed in between leaves an experiment that is not.
    */
  def keep(envelope: Envelope, entries: Seq[ujson.Value]): Unit =
    // Which JDK it was stands in the envelope; where it lay is nobody's business.
    val lines =
      entries.map(entry => ujson.write(ujson.Obj.from(entry.obj.filterNot(_._1 == "jvm"))))
    os.remove(envelopeFile(envelope.experiment)): Unit
    whole(resultsFile(envelope.experiment), lines.mkString("[\n", ",\n", "\n]\n"))
    whole(envelopeFile(envelope.experiment), write(envelope, indent = 2) + "\n")

  /** Keeps a run of a part of an experiment beside what was found of its other steps before; of
    * steps that both ran, the new results alone.
    */
  def add(envelope: Envelope, entries: Seq[ujson.Value]): Unit =
    val steps = entries.map(key).toSet
    val before = os.read(resultsFile(envelope.experiment))
    val others = ujson.read(before).arr.toSeq.filterNot(entry => steps(key(entry)))
    val all = this.envelope(envelope.experiment).fold(envelope)(envelope.after)
    keep(all.copy(steps = others.size + entries.size), others ++ entries)

  private def key(entry: ujson.Value) = read[JmhEntry](entry).key

  /** Writes a file that is there as a whole or not at all. */
  private def whole(file: os.Path, text: String): Unit =
    val part = file / os.up / s".${file.last}.part"
    os.write.over(part, text, createFolders = true)
    os.move.over(part, file, atomicMove = true)

  /** The text of `asked.json`, computed from the goals and the results. */
  def asked: String = Verdict.json(verdicts.map(_.verdict))

  /** The text of `RESULTS.md`, computed from the same. */
  def table: String = ResultsTable.of(this, verdicts)

  /** The verdict on each goal, and what was missing for it. */
  lazy val verdicts: Seq[(verdict: Verdict, missing: Seq[Key])] =
    val measures = Experiment.all.flatMap(_.measures).toMap
    val kept = Experiment.all.map(one => one.name -> results(one.name)).toMap
    Verdict.all(goals, measures, kept.getOrElse(_, Results.none))

  /** Writes both. */
  def compute(): Unit =
    whole(askedFile, asked)
    whole(tableFile, table)
end Laboratory
