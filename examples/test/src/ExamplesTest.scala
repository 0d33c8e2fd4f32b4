package undercroft.examples

class ExamplesTest extends undercroft.tools.Suite:

  test("examples are found"):
    assert(Examples.all.nonEmpty)

  for example <- Examples.all do
    test(s"${example.name} prints the output in its last comment"):
      assert(example.prints.nonEmpty, "the file does not end in a comment `// prints:`")
      assertEquals(Examples.run(example.name), example.prints)
