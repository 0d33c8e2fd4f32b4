package undercroft.lab.stress

import org.openjdk.jcstress.Options
import org.openjdk.jcstress.os.{AffinityMode, NodeType, SchedulingClass}
import org.openjdk.jcstress.infra.runners.{ForkedTestConfig, Runner, TestConfig, TestList}
import scala.jdk.CollectionConverters.*

/** Runs every concurrency test once, for a moment, in this JVM, and expects no forbidden outcome.
  *
  * The long form is `./mill lab.stress.run`.
  */
class StressTest extends undercroft.tools.Suite:

  private val ShortMillis = 10

  private val names = TestList.tests.asScala.toList.sorted
  private val (planted, honest) = names.partition(_.contains(".planted."))

  /** Threads may run on any processor: jcstress binds them in its own JVMs only. */
  private val anywhere = SchedulingClass(AffinityMode.NONE, 2, NodeType.PACKAGE)

  private def run(name: String, millis: Int): TestOutcomes =
    val arguments = List("-time", s"$millis", "-iters", "1", "-strideSize", "64")
      ++ List("-strideCount", "8", "-hs", "64", "-spinStyle", "THREAD_YIELD")
    val options = Options(arguments.toArray)
    assert(options.parse())
    val test = TestList.getInfo(name)
    val config = TestConfig(options, test, 1, java.util.List.of(), 0, anywhere)
    val runner = Class.forName(test.generatedRunner).nn
      .getConstructor(classOf[ForkedTestConfig])
      .newInstance(ForkedTestConfig(config))
    val result = runner.asInstanceOf[Runner[Object]].run()
    result.setConfig(config)
    TestOutcomes.of(result)

  test("every state machine of memory, segment pools and actors has a jcstress test"):
    val subjects = List("Region", "Scope", "Block", "FreeTwice", "Allocate", "Pages", "Budget")
    for subject <-
        subjects ++ List(
          "Field",
          "Append",
          "Table",
          "Segments",
          "Send",
          "Stop",
          "Reply",
          "AskDuringSends",
          "Spawn",
          "Migration",
          "Blocking",
          "TwoWaitDuringDequeue",
          "InterruptWaitDuringDequeue",
          "Write"
        )
    do
      assert(honest.exists(_.contains(subject)), subject)

  for name <- honest do
    test(s"${name.split('.').last} observes no forbidden outcome"):
      val outcome = run(name, ShortMillis)
      assert(outcome.held, outcome.show)

  test("the runner detects a planted bug"):
    val name = planted.find(_.endsWith("ChargeInTwoSteps")).get
    val tries = Iterator.continually(run(name, 50)).take(100)
    val broken = tries.find(_.broken)
    assert(broken.nonEmpty, "100 runs saw nothing forbidden")
    assert(broken.get.show.startsWith("BROKEN"), broken.get.show)
    assert(!TestOutcomes.good(broken.toList, planted = false))
    assert(TestOutcomes.good(broken.toList, planted = true))

  test("the report of a jcstress run describes every outcome, including forbidden ones"):
    val outcome = run(honest.find(_.endsWith("CloseTwice")).get, ShortMillis)
    assert(
      outcome.show.contains("forbidden  anything else: its pages were given back twice"),
      outcome.show
    )
    assert(outcome.show.contains("closed, refused: the first won"), outcome.show)
    assertEquals(
      TestOutcomes.summary(List(outcome), planted = false),
      "1 held, 0 broken, 0 not run"
    )
end StressTest
