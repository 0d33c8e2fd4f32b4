package savina

// Which benchmarks are there, how large are they, and which answers do they have?

import java.util.{Arrays, SplittableRandom}

/** A benchmark of Savina (S. Imam and V. Sarkar, "Savina - An Actor Benchmark Suite", 2014), or
  * `Skynet` (A. Temerev, 2016).
  *
  * Left out are the benchmarks whose time is computation (filter bank, facility location,
  * trapezoids, pi, matrices, quicksort, shortest paths, over-relaxation, A*, N-queens, sorted list)
  * or busy waiting (barber, smokers), and the cobwebbed tree, which is random.
  *
  * @param size
  *   the size of a measurement
  * @param small
  *   the size of a test
  * @param threads
  *   whether an actor handles enough messages in a row for a thread of the operating system
  */
enum Benchmark(val size: Int, val small: Int, val threads: Boolean = false) derives CanEqual:
  /** Messages there and back between two actors. */
  case PingPong extends Benchmark(1_000_000, 100)

  /** Messages to a counter. */
  case Counting extends Benchmark(2_000_000, 100, threads = true)

  /** Messages to each of 60 actors. */
  case ForkJoinThroughput extends Benchmark(40_000, 100)

  /** Actors of one message. */
  case ForkJoinCreation extends Benchmark(200_000, 100)

  /** Hops of a token through a ring of 100 actors. */
  case ThreadRing extends Benchmark(2_000_000, 1234)

  /** Meetings of 100 chameneos. */
  case Chameneos extends Benchmark(500_000, 100)

  /** Messages of each of 120 actors to others at random, which reply. */
  case Big extends Benchmark(10_000, 20)

  /** Operations of each of 20 actors on a dictionary; a tenth are writes. */
  case Dictionary extends Benchmark(30_000, 50)

  /** Items of each of 40 producers for 40 consumers, through a buffer of 50 items. */
  case BoundedBuffer extends Benchmark(5_000, 20)

  /** Meals of each of 20 philosophers. */
  case Philosophers extends Benchmark(10_000, 20)

  /** Terms of each of 10 series, whose workers wait for a reply for each term. */
  case LogisticMap extends Benchmark(25_000, 50)

  /** Transfers between 1000 accounts, which wait for a reply. */
  case Bank extends Benchmark(200_000, 3000)

  /** Values that pass 60 actors. */
  case RadixSort extends Benchmark(50_000, 100, threads = true)

  /** The least number that is not tested; an actor has up to 1000 primes. */
  case Sieve extends Benchmark(100_000, 20_000, threads = true)

  /** The Fibonacci number to compute, with an actor for each call. */
  case Fibonacci extends Benchmark(25, 10)

  /** Actors that are leaves of a tree of tens. */
  case Skynet extends Benchmark(1_000_000, 1000)

  /** The answer for a size, computed without actors. */
  def answer(size: Int): Long = this match
    case PingPong | Counting | ForkJoinCreation => size
    case ForkJoinThroughput                     => 60L * size
    case ThreadRing                             => size % 100
    case Chameneos                              => 2L * size
    case Big                                    => 120L * size
    case Dictionary                             => Operations.sum(size)
    case BoundedBuffer                          => (0L until 40L * size).sum
    case Philosophers                           => 20L * size
    case LogisticMap                            => (0 until 10).map(Logistic.last(_, size)).sum
    case Bank                                   => Transfer.sum(size)
    case RadixSort                              => Values.digest(Values.sorted(size))
    case Sieve     => (2 until size).count(n => (2 to math.sqrt(n).toInt).forall(n % _ != 0))
    case Fibonacci => Iterator.iterate((0L, 1L))((a, b) => (b, a + b)).drop(size).next()(0)
    case Skynet    => (0L until size).sum
end Benchmark

/** The operations of a worker on the dictionary, the same in each run. */
final class Operations(worker: Int):
  private val random = SplittableRandom(worker)
  def isWrite(): Boolean = random.nextInt(10) == 0
  def key(): Int = random.nextInt(4096)

object Operations:
  def value(key: Int): Int = 3 * key + 1

  /** The sum of the values that are there at the end. */
  def sum(count: Int): Long =
    val written =
      for
        worker <- 0 until 20
        operations = Operations(worker)
        _ <- 0 until count
        (isWrite, key) = (operations.isWrite(), operations.key())
        if isWrite
      yield key
    written.distinct.map(value(_).toLong).sum

/** The work that an item costs its producer and its consumer. */
final class Work(seed: Int):
  private val random = SplittableRandom(seed)
  def item(): Double =
    var result = 0.0
    for _ <- 1 to 25 do result += math.log(math.abs(random.nextDouble() + 0.01))
    result

object Logistic:
  def rate(series: Int): Double = 3.46 + series * 0.0025
  def first(series: Int): Double = 0.01 * (series + 1)
  def next(rate: Double, term: Double): Double = rate * term * (1 - term)

  /** A term as an integer, so that the order of a sum does not matter. */
  def digest(term: Double): Long = (term * 1e12).toLong

  def last(series: Int, terms: Int): Long =
    digest(Iterator.iterate(first(series))(next(rate(series), _)).drop(terms).next())

/** A transfer from an account to one with a greater number. */
final case class Transfer(from: Int, to: Int, amount: Int)

object Transfer:
  def all(count: Int): Iterator[Transfer] =
    val random = SplittableRandom(7)
    Iterator.fill(count):
      val from = random.nextInt(800)
      Transfer(from, from + 1 + random.nextInt(999 - from), 1 + random.nextInt(1000))

  /** The part of an account in the answer. */
  def digest(account: Int, balance: Int): Long = (account + 1L) * balance

  def sum(count: Int): Long =
    all(count).map(t => digest(t.from, -t.amount) + digest(t.to, t.amount)).sum

object Values:
  def random(count: Int): Iterator[Long] =
    val random = SplittableRandom(11)
    Iterator.fill(count)(random.nextLong(1L << 60))

  def sorted(count: Int): Array[Long] =
    val values = random(count).toArray
    Arrays.sort(values)
    values

  def add(digest: Long, value: Long): Long = 31 * digest + value
  def digest(values: Array[Long]): Long = values.foldLeft(0L)(add)
end Values

enum Color derives CanEqual:
  case Blue, Red, Yellow

  /** The color of both after a meeting: the same, or the third one. */
  def complement(other: Color): Color =
    if this == other then this else Color.fromOrdinal(3 - ordinal - other.ordinal)
