package undercroft.examples.cluster

import java.io.ByteArrayOutputStream

/** The programs of one process, by the rules of the files under `examples/src`: each has the name
  * of its file, and its expected output in the comment at the end.
  */
class ProgramsTest extends undercroft.tools.Suite:
  private val marker = "// prints:"
  private val sources = os.Path(sys.env("UNDERCROFT")) / "examples" / "cluster" / "src"

  private def run(name: String): Vector[String] =
    val out = ByteArrayOutputStream()
    val main = Class.forName(name).getMethod("main", classOf[Array[String]])
    Console.withOut(out)(main.invoke(null, Array.empty[String]))
    out.toString.linesIterator.toVector

  private val programs =
    os.list(sources).map(file => file.baseName -> os.read.lines(file)).filter(_._2.contains(marker))

  test("programs are found"):
    assertEquals(
      programs.map(_._1).sorted,
      Seq("articles", "durable", "messageVersions", "onPekko", "reliably", "streams", "tracedNodes")
    )

  for (name, lines) <- programs do
    test(s"$name prints the output in its last comment"):
      val expected = lines.drop(lines.indexOf(marker) + 1).map(_.stripPrefix("//").stripPrefix(" "))
      assertEquals(run(name), expected.toVector)
end ProgramsTest
