package undercroft.examples.cluster

import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.tools.FreePort

/** The bank of the how-to page, on two nodes: each a JVM of its own. */
class BankTest extends undercroft.tools.Suite:
  override val munitTimeout: Duration = 10.minutes

  private def start(node: Int, ports: Seq[Int], output: os.Path): os.SubProcess =
    val flags = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filter: flag =>
      flag.startsWith("--") || flag.startsWith("-X")
    os.proc(
      os.Path(sys.props("java.home").nn) / "bin" / "java",
      flags,
      "-cp",
      sys.props("java.class.path").nn,
      "bank",
      node,
      ports
    ).spawn(stdout = output, mergeErrIntoOut = true)

  test("two nodes make 2000 transfers, and the sum of all accounts is unchanged"):
    val ports = Seq.fill(2)(FreePort.take())
    val folder = os.temp.dir()
    val files = Seq(1, 2).map(node => folder / s"node-$node")
    val nodes = files.zip(Seq(1, 2)).map((file, node) => start(node, ports, file))
    try
      for node <- nodes do
        val isOver = node.wrapped.waitFor(4, TimeUnit.MINUTES)
        assert(isOver, files.map(os.read).mkString("a node did not end\n", "\n", ""))
      val outputs = files.map(os.read)
      assertEquals(nodes.map(_.exitCode()), Seq(0, 0), outputs.mkString("\n"))
      assert(outputs(1).contains("transfers were covered, the sum is 100000"), outputs(1))
      val Started = """(?s).*node \d started (\d+) of 100 accounts.*""".r
      val started = outputs.collect { case Started(count) => count.nn.toInt }
      assertEquals(started.sum, 100, outputs.mkString("\n"))
      assert(started.forall(_ > 0), s"both nodes have accounts: $started")
    finally
      nodes.foreach(_.destroy(shutdownGracePeriod = 0))
      os.remove.all(folder)
end BankTest
