package examples.api

/** Every example of a doc comment runs to its end. */
class ApiExamplesTest extends undercroft.tools.Suite:
  for (place, run) <- All.examples do test(s"the example at $place runs")(run())

  test("the modules have examples"):
    for module <- Seq("memory", "struct", "buffer", "file", "actor", "testkit") do
      assert(All.examples.exists(_._1.startsWith(s"$module/")), module)
