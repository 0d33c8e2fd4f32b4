package undercroft.examples

class ExamplesTest extends undercroft.tools.Suite:

  test("examples are found"):
    assert(Examples.all.nonEmpty)

  test("the line `// runs on:` names the only platform of a program"):
    val platforms = Examples.all.flatMap(example => example.platform.map(example.name -> _))
    assertEquals(platforms, Vector("fileStatus" -> "Linux amd64"))

  for example <- Examples.all do
    test(s"${example.name} prints the output in its last comment"):
      val needed = example.platform.filter(_ != Examples.platform)
      assume(needed.isEmpty, s"skipped: the program runs on ${needed.mkString} only")
      assert(example.prints.nonEmpty, "the file does not end in a comment `// prints:`")
      assertEquals(Examples.run(example.name), example.prints)
