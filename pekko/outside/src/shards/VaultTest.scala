package outside.pekko.shards

import java.nio.file.Files
import scala.concurrent.duration.*
import scala.util.Random

/** The bank on four nodes; three of them end one after the other, each in another way. */
class VaultTest extends undercroft.tools.Suite:
  override val munitTimeout: Duration = 20.minutes

  test(
    "the sum holds and each transfer is made once, while nodes are killed, cut off and leave".tag(
      LongTest
    )
  ):
    val seed = Random.nextLong()
    val folder = Files.createTempDirectory("undercroft-vault-")
    val accounts = 200
    val run = VaultRun(folder, accounts, seed, println(_))
    try
      try
        run.work(last = 600, endings = 3, limit = 15.minutes)
        assertEquals(run.sum, run.expectedSum, s"seed $seed")
      finally run.close()
      println(s"${VaultAudit(folder, accounts, 600).run()}; $run")
      assertEquals((run.kills, run.departures, run.partitions), (1, 1, 1), s"seed $seed")
    finally VaultAudit.delete(folder)
end VaultTest
