package undercroft.lab.fuzz

import scala.util.Random

/** Random changes of valid inputs, for the short form: the same seed makes the same inputs. */
final class Mutations(seeds: IndexedSeq[Array[Byte]], random: Random):
  private val edges = Array[Byte](0, 1, -1, 127, -128, 64, 10, 34)

  def next(): Array[Byte] =
    var input = seeds(random.nextInt(seeds.size)).clone
    for _ <- 0 to random.nextInt(4) do input = changed(input)
    input

  private def changed(input: Array[Byte]): Array[Byte] =
    if input.isEmpty then Array(random.nextInt().toByte)
    else
      val at = random.nextInt(input.length)
      random.nextInt(8) match
        case 0 => input.updated(at, edges(random.nextInt(edges.length)))
        case 1 => input.updated(at, (input(at) ^ 1 << random.nextInt(8)).toByte)
        case 2 => input.take(at)
        case 3 => input.patch(at, Nil, 1 + random.nextInt(8))
        case 4 => input.patch(at, Array.fill(1 + random.nextInt(8))(random.nextInt().toByte), 0)
        case 5 => // a part of another input
          val donor = seeds(random.nextInt(seeds.size))
          if donor.isEmpty then input
          else
            val from = random.nextInt(donor.length)
            input.patch(at, donor.slice(from, from + 1 + random.nextInt(64)), 64)
        case 6 => // a number of four bytes
          val number =
            Seq(0, 1, -1, Int.MaxValue, Int.MinValue, random.nextInt())(random.nextInt(6))
          input.patch(at, (0 until 4).map(k => (number >> 8 * k).toByte), 4)
        case _ => input.updated(at, random.nextInt().toByte)
  end changed
end Mutations
