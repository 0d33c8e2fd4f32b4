package outside.pekko.shards

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.file.*
import undercroft.struct.*

/** Compares the stored events of all accounts and tellers with the transfers: each one is there
  * once, at its accounts, with its amount.
  *
  * @param last
  *   the number of transfers of each teller
  */
final class VaultAudit(folder: Path, accounts: Int, last: Long):
  import VaultAudit.*

  /** By teller and number: 0 for an event that is missing, 1 for a refusal, else 2. */
  private val withdrawn, deposited = Array.fill(Vault.Tellers)(new Array[Byte](last.toInt + 1))
  private var refused, moves = 0L

  def run(): String =
    for file <- files("accounts") do
      Using.resource(Rows.openReadOnly[StoredMoved](file)): rows =>
        for row <- rows.iterator do check(row.id, row.event)
    val finished = Array.fill(Vault.Tellers)(0L)
    for file <- files("tellers") do
      Using.resource(Rows.openReadOnly[StoredFinished](file)): rows =>
        for row <- rows.iterator do
          val teller = row.id.toInt
          expect(
            row.event.number == finished(teller) + 1,
            s"teller $teller: ${row.event} after ${finished(teller)}"
          )
          finished(teller) = row.event.number
    for teller <- 0 until Vault.Tellers do
      expect(finished(teller) == last, s"teller $teller finished ${finished(teller)} of $last")
      for number <- 1 to last.toInt do
        val (out, in) = (withdrawn(teller)(number), deposited(teller)(number))
        expect(out != 0, s"teller $teller: transfer $number has no withdrawal")
        expect(
          (out == Done) == (in == Done),
          s"teller $teller: transfer $number is withdrawn ($out), not deposited ($in)"
        )
    s"$moves movements of ${Vault.Tellers * last} transfers, $refused refused: exact"
  end run

  private def check(id: Long, moved: Vault.Moved): Unit =
    val Vault.Moved(teller, number, amount) = moved
    val expected = Vault.transfer(teller, number, accounts)
    expect(number >= 1 && number <= last, s"account $id: $moved")
    val isDeposit = amount > 0
    if isDeposit then expect(id == expected.to && amount == expected.amount, s"account $id: $moved")
    else
      expect(
        id == expected.from && (amount == 0 || amount == -expected.amount),
        s"account $id: $moved"
      )
    val seen = (if isDeposit then deposited else withdrawn) (teller)
    expect(seen(number.toInt) == 0, s"account $id: $moved is there twice")
    seen(number.toInt) = if amount == 0 then Refused else Done
    if amount == 0 then refused += 1 else moves += 1

  private def files(journals: String): Vector[Path] =
    Using.resource(Files.walk(folder.resolve(journals))): paths =>
      paths.iterator.asScala
        .filter(_.getFileName.toString.matches("events-\\d+\\.struct")).toVector.sorted

  private def expect(condition: Boolean, problem: => String): Unit =
    if !condition then throw AssertionError(problem)
end VaultAudit

object VaultAudit:
  private final val Refused: Byte = 1
  private final val Done: Byte = 2

  final case class StoredMoved(
      id: Long,
      sequence: Long,
      previous: Long,
      check: Int,
      event: Vault.Moved
  ) derives Struct

  final case class StoredFinished(
      id: Long,
      sequence: Long,
      previous: Long,
      check: Int,
      event: Vault.Finished
  ) derives Struct

  def delete(folder: Path): Unit =
    Using.resource(Files.walk(folder)): paths =>
      paths.sorted(java.util.Comparator.reverseOrder).forEach(Files.deleteIfExists(_): Unit)
end VaultAudit
