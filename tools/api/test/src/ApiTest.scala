package undercroft.tools.api

/** Compares the public APIs with the committed ones. The build passes the paths of both in
  * environment variables: `API_memory=<agreed>:<now>`.
  */
class ApiTest extends undercroft.tools.Suite:

  private val modules = sys.env.toVector.collect { case (s"API_$module", s"$agreed:$now") =>
    (module, os.Path(agreed), os.Path(now))
  }.sortBy(_._1)

  test("the build passes the API paths of the published libraries"):
    assert(modules.map(_._1).toSet.intersect(Set("memory", "struct", "testkit")).size == 3, modules)

  for (module, agreed, now) <- modules do
    test(s"the public API of $module equals its api.txt"):
      assert(os.exists(agreed), s"there is no $agreed: write it with ./mill $module.apiDump")
      assertNoDiff(
        os.read(now),
        os.read(agreed),
        s"if the change is meant: ./mill $module.apiDump, and a line in CHANGELOG.md"
      )
end ApiTest
