package undercroft.lab.stress

import org.openjdk.jcstress.annotations.Expect
import org.openjdk.jcstress.infra.Status
import org.openjdk.jcstress.infra.collectors.TestResult
import org.openjdk.jcstress.infra.runners.TestList
import scala.jdk.CollectionConverters.*

/** What was seen of one test: each outcome that it names, how often, and whether it may be. */
final case class Seen(
    name: String,
    question: String,
    rows: List[Seen.Row],
    trouble: Option[String]
):

  /** Whether nothing forbidden was seen, and something was. */
  def held: Boolean = trouble.isEmpty && rows.exists(_.count > 0) && !broken

  /** Whether something forbidden was seen. */
  def broken: Boolean = rows.exists(row => row.isForbidden && row.count > 0)

  def show: String =
    val whole = rows.map(_.count).sum.max(1)
    val verdict = if broken then "BROKEN" else if held then "held" else "NOT RUN"
    val lines = rows.map: row =>
      val share = f"${row.count * 100.0 / whole}%5.1f %%"
      val word = if row.isForbidden then "forbidden" else if row.isRare then "rare" else "good"
      f"  ${row.count}%12d  $share  $word%-9s  ${row.id}: ${row.words}"
    (s"$verdict  $name: $question" :: lines ++ trouble.map("  " + _)).mkString("\n")
end Seen

object Seen:
  final case class Row(id: String, words: String, expect: Expect, count: Long):
    def isForbidden: Boolean = expect.name == "FORBIDDEN" || expect.name == "UNKNOWN"
    def isRare: Boolean = expect.name == "ACCEPTABLE_INTERESTING"

  def of(result: TestResult): Seen =
    val test = TestList.getInfo(result.getName)
    val cases = test.cases.asScala.toList
    val keys = result.getStateKeys.asScala.toList
    // As jcstress has it: an outcome's own name first, then the patterns, then the rest.
    def caseOf(key: String) =
      cases.find(_.matchesExactly(key)).orElse(cases.find(_.matches(key))).getOrElse(test.unmatched)
    val seen = keys.map: key =>
      val found = caseOf(key)
      Row(key, found.description, found.expect, result.getCount(key))
    val rest = Option(test.unmatched).filter(_.nn.matchPattern.nn.isEmpty)
    val unseen = (cases ++ rest).filterNot(c => keys.exists(caseOf(_) eq c)).map: c =>
      Row(if rest.contains(c) then "anything else" else c.matchPattern, c.description, c.expect, 0)
    val trouble = Option.when(result.status.name != Status.NORMAL.name):
      (result.status.name :: result.getMessages.asScala.toList).mkString(": ")
    Seen(result.getName.split('.').last, test.description, seen ++ unseen, trouble)

  def good(all: List[Seen], planted: Boolean): Boolean =
    all.nonEmpty && all.forall(seen => if planted then seen.broken else seen.held)

  def summary(all: List[Seen], planted: Boolean): String =
    if planted then s"${all.count(_.broken)} planted mistakes found, ${all.count(!_.broken)} not"
    else
      s"${all.count(_.held)} held, ${all.count(_.broken)} broken, " +
        s"${all.count(seen => !seen.held && !seen.broken)} not run"
end Seen
