package undercroft.lab.bench

import java.net.URLClassLoader
import java.nio.file.Path

/** Every program of the `compile` experiment compiles, and computes the same number. */
class CompileBenchmarks extends undercroft.tools.Suite:

  /** The number that the method of the last class returns for ten orders. */
  private def result(jar: Path, classes: Int): Any =
    val loader = URLClassLoader(Array(jar.toUri.toURL), getClass.getClassLoader)
    try
      val methods = loader.loadClass("program.program$package").nn
      methods.getMethod(s"day${classes - 1}", classOf[Int]).nn.invoke(null, 10)
    finally loader.close()

  for
    (state, program, tags) <- Seq(
      (ColdCompilation(), "rows", Set[munit.Tag]()),
      (ColdCompilation(), "arrays", Set[munit.Tag](LongTest)),
      (ColdCompilation(), "segments", Set[munit.Tag](LongTest)),
      (WarmCompilation(), "arrays", Set[munit.Tag](LongTest))
    )
  do
    val title = s"a ${state.getClass.getSimpleName} of $program"
    test(munit.TestOptions(title).withTags(tags)):
      state.program = program
      state.classes = 1
      state.write()
      try assertEquals(result(state.compile(), 1), 427.5 + 5 + 51 + 1)
      finally state.delete()
end CompileBenchmarks
