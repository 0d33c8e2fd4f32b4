package undercroft.lab.fuzz

import scala.util.Random

/** The short form: the committed seeds, and some thousand random changes of them. */
class FuzzTest extends undercroft.tools.Suite:
  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)

  /** Mutations per target: fewer for files, which are mapped and written each time. */
  private def rounds(target: Target): Int = if target.name == "file" then 600 else 3000

  for target <- Target.all do
    test(s"the ${target.name} reader accepts its seeds and reads or rejects their mutations"):
      // And samples in the current formats: the committed seeds keep the formats of their time.
      val committed = Target.seeds(target)
      assert(committed.size >= 2, s"${committed.size} committed seeds of ${target.name}")
      val seeds = (committed ++ target.samples).toIndexedSeq
      println(s"${target.name}: seed $seed, ${rounds(target)} rounds")
      for (input, i) <- seeds.zipWithIndex do tried(target, input, s"seed $i of ${target.name}")
      val mutations = Mutations(seeds, Random(seed))
      for round <- 0 until rounds(target) do
        tried(target, mutations.next(), s"UNDERCROFT_SEED=$seed, ${target.name}, round $round")

  test("an undocumented exception of a target is reported as a finding"):
    val broken = new Target:
      def name = "broken"
      def samples = Seq()
      def run(input: Array[Byte]) = if input.length > 2 then throw IllegalStateException("broken")
    val mutations = Mutations(IndexedSeq(Array[Byte](1, 2, 3)), Random(seed))
    val error = intercept[AssertionError]:
      for _ <- 0 until 100 do tried(broken, mutations.next(), "planted")
    assert(error.getMessage.nn.startsWith("planted: "), error)

  private def tried(target: Target, input: Array[Byte], where: String): Unit =
    try target.run(input)
    catch
      case error: Throwable =>
        val encoded = java.util.Base64.getEncoder.nn.encodeToString(input.take(600))
        throw AssertionError(s"$where: $error; input (base64): $encoded", error)
end FuzzTest
