package undercroft.memory

import internal.cage.Cage
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.{Executors, Future, TimeUnit}
import java.util.concurrent.atomic.AtomicReferenceArray
import scala.util.Random

/** The bytes of blocks of Malloc that several threads allocate and free. */
class SharedBlocksTest extends undercroft.tools.Suite:
  private final case class Block(address: Address, words: Int, value: Long):
    def write(): Unit =
      for i <- 0 until words do Cage.segment.set(JAVA_LONG, address.offset + 8L * i, value)
    def free(): Unit =
      for i <- 0 until words do
        val word = Cage.segment.get(JAVA_LONG, address.offset + 8L * i)
        if word != value then throw AssertionError(s"word $i of $words is $word, not $value")
      Malloc.free(address, 8L * words)

  /** The words of a new block: mostly few. */
  private def words(random: Random): Int =
    1 + random.nextInt(if random.nextInt(20) == 0 then 1500 else 30)

  /** Replaces blocks at random places, which any thread has allocated, by new ones or by none. */
  private def replace(places: AtomicReferenceArray[Block | Null], seed: Long, index: Int): Unit =
    val random = Random(seed + index)
    for i <- 0 until 100_000 do
      // A thread only frees at times, so that full pages of the others are emptied.
      val isFreeing = (i / 10_000 + index) % 3 == 0
      val block =
        if isFreeing then null
        else
          val count = words(random)
          val block = Block(Malloc.allocateBlock(8L * count, 8), count, index * 1_000_000_000L + i)
          block.write()
          block
      val previous = places.getAndSet(random.nextInt(places.length), block)
      if previous != null then previous.free()

  private def liveBlocks: Long =
    Ledger.report().rows.find(_.name == "Malloc").fold(0L)(_.liveCount)

  test("threads that allocate and free each other's blocks read their own bytes"):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val before = liveBlocks
    val threads = Vector.fill(3)(Executors.newSingleThreadExecutor())
    try
      val places = AtomicReferenceArray[Block | Null](3000)
      def run(index: Int): Future[?] =
        threads(index).submit((() => replace(places, seed, index)): Runnable)
      threads.indices.map(run).foreach(_.get(300, TimeUnit.SECONDS))
      for i <- 0 until places.length do
        val block = places.getAndSet(i, null)
        if block != null then block.free()
      assertEquals(liveBlocks, before)
    finally threads.foreach(_.shutdown())
end SharedBlocksTest
