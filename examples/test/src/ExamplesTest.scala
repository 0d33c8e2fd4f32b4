package undercroft.examples

class ExamplesTest extends undercroft.tools.Suite:

  test("there are examples"):
    assert(Examples.all.nonEmpty)

  for example <- Examples.all do
    test(s"${example.name} prints what its last comment says"):
      assert(example.prints.nonEmpty, "the file does not end in a comment `// prints:`")
      assertEquals(Examples.run(example.name), example.prints)
