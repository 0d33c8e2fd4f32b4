package undercroft.lab

class FrameTest extends undercroft.tools.Suite:
  private val printed =
    """Stack profiler:
      |
      |....[Thread state distributions]....................................................................
      | 66.7%         WAITING
      | 33.3%         RUNNABLE
      |
      |....[Thread state: WAITING].........................................................................
      | 66.7% 100.0% java.lang.Object.wait0
      |
      |....[Thread state: RUNNABLE]........................................................................
      | 16.7%  50.0% <stack is empty, everything is filtered?>
      | 12.5%  37.5% scala.Array$.ofDim
      |  4.2%  12.5% undercroft.lab.A.b
      |""".stripMargin

  test("Frame.parse reads the frames of running threads with their shares"):
    assertEquals(
      Frame.parse(printed),
      Seq(
        Frame("scala.Array$.ofDim", 0.75),
        Frame("undercroft.lab.A.b", 0.25)
      )
    )

  test("Frame.parse of other text returns no frames"):
    assertEquals(Frame.parse(""), Seq())
    assertEquals(Frame.parse("Stack profiler:\n 66.7% 100.0% java.lang.Object.wait0\n"), Seq())

  test("Frame.mean counts a round without a method as share zero"):
    val rounds = Seq(Seq(Frame("a", 0.8), Frame("b", 0.2)), Seq(Frame("a", 1)))
    assertEquals(Frame.mean(rounds), Seq(Frame("a", 0.9), Frame("b", 0.1)))
    assertEquals(Frame.mean(Seq()), Seq())

  test("Frame.top returns at most three methods with at least 1 % of the samples"):
    val frames = Seq(0.5, 0.2, 0.1, 0.1, 0.005).zipWithIndex.map((share, i) => Frame(s"$i", share))
    assertEquals(Frame.top(frames).map(_.method), Seq("0", "1", "2"))
    assertEquals(Frame.top(frames.drop(3)).map(_.method), Seq("3"))
end FrameTest
