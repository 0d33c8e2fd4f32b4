package undercroft.examples

/** The examples of one topic print the output that their comments promise. */
abstract class ExamplesSuite(topic: Topic) extends undercroft.tools.Suite:
  private val examples = Examples.all.filter(_.topic == topic)

  test(s"there are examples of $topic"):
    assert(examples.nonEmpty)

  for example <- examples do
    test(s"${example.name} prints the output in its last comment"):
      val needed = example.platform.filter(_ != Examples.platform)
      assume(needed.isEmpty, s"skipped: the program runs on ${needed.mkString} only")
      assert(example.prints.nonEmpty, "the file does not end in a comment `// prints:`")
      assertEquals(Examples.run(example.name), example.prints)

class ActorExamplesTest extends ExamplesSuite(Topic.Actors)
class FileExamplesTest extends ExamplesSuite(Topic.Files)
class BufferExamplesTest extends ExamplesSuite(Topic.Buffers)

class StructExamplesTest extends ExamplesSuite(Topic.Structs):
  test("the line `// runs on:` names the only platform of a program"):
    val platforms = Examples.all.flatMap(example => example.platform.map(example.name -> _))
    assertEquals(platforms, Vector("fileStatus" -> "Linux amd64"))
