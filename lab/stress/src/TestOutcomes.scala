package undercroft.lab.stress

import org.openjdk.jcstress.annotations.Expect
import org.openjdk.jcstress.infra.Status
import org.openjdk.jcstress.infra.collectors.TestResult
import org.openjdk.jcstress.infra.runners.TestList
import scala.jdk.CollectionConverters.*

/** The outcomes of one test: how often each was observed, and whether it is allowed. */
final case class TestOutcomes(
    name: String,
    question: String,
    rows: List[TestOutcomes.Row],
    trouble: Option[String]
):

  /** Whether outcomes were observed, and none of them is forbidden. */
  def held: Boolean = trouble.isEmpty && rows.exists(_.count > 0) && !broken

  /** Whether a forbidden outcome was observed. */
  def broken: Boolean = rows.exists(row => row.isForbidden && row.count > 0)

  def show: String =
    val whole = rows.map(_.count).sum.max(1)
    val verdict = if broken then "BROKEN" else if held then "held" else "NOT RUN"
    val lines = rows.map: row =>
      val share = f"${row.count * 100.0 / whole}%5.1f %%"
      val word = if row.isForbidden then "forbidden" else if row.isRare then "rare" else "good"
      f"  ${row.count}%12d  $share  $word%-9s  ${row.id}: ${row.words}"
    (s"$verdict  $name: $question" :: lines ++ trouble.map("  " + _)).mkString("\n")
end TestOutcomes

object TestOutcomes:
  final case class Row(id: String, words: String, expect: Expect, count: Long):
    def isForbidden: Boolean = expect.name == "FORBIDDEN" || expect.name == "UNKNOWN"
    def isRare: Boolean = expect.name == "ACCEPTABLE_INTERESTING"

  def of(result: TestResult): TestOutcomes =
    val test = TestList.getInfo(result.getName)
    val cases = test.cases.asScala.toList
    val keys = result.getStateKeys.asScala.toList
    // The order of jcstress: exact names of outcomes first, then the patterns, then the default.
    def caseOf(key: String) =
      cases.find(_.matchesExactly(key)).orElse(cases.find(_.matches(key))).getOrElse(test.unmatched)
    val counted = keys.map: key =>
      val matching = caseOf(key)
      Row(key, matching.description, matching.expect, result.getCount(key))
    val rest = Option(test.unmatched).filter(_.nn.matchPattern.nn.isEmpty)
    val unseen = (cases ++ rest).filterNot(c => keys.exists(caseOf(_) eq c)).map: c =>
      Row(if rest.contains(c) then "anything else" else c.matchPattern, c.description, c.expect, 0)
    val trouble = Option.when(result.status.name != Status.NORMAL.name):
      (result.status.name :: result.getMessages.asScala.toList).mkString(": ")
    TestOutcomes(result.getName.split('.').last, test.description, counted ++ unseen, trouble)

  def good(runs: List[TestOutcomes], planted: Boolean): Boolean =
    runs.nonEmpty && runs.forall(run => if planted then run.broken else run.held)

  def summary(runs: List[TestOutcomes], planted: Boolean): String =
    if planted then s"${runs.count(_.broken)} planted mistakes found, ${runs.count(!_.broken)} not"
    else
      s"${runs.count(_.held)} held, ${runs.count(_.broken)} broken, " +
        s"${runs.count(run => !run.held && !run.broken)} not run"
end TestOutcomes
