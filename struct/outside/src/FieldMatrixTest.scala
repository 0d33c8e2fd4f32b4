package outside.struct

import java.net.{URL, URLClassLoader}
import java.nio.file.Path

/** Every kind of field in every way of use, compiled as a user program and run. */
class FieldMatrixTest extends undercroft.tools.Suite:

  /** Kinds that are compiled together: the compiler's time for a macro call grows with the number
    * of calls that it has expanded in the same run.
    */
  private val KindsPerRun = 4

  /** The errors of compiling sources with the compiler's default flags, and with a check of the
    * code that macros return.
    */
  private def compiled(folder: Path, sources: Seq[(String, String)]): Seq[UserCompiler.Message] =
    UserCompiler.compile(folder, sources, Seq("-Xcheck-macros")).filter(_.isError)

  test("every kind of field compiles in every use and gives the same result as plain Scala".tag(
    LongTest
  )):
    UserCompiler.inFolder: folder =>
      val errors = FieldMatrix.sources.grouped(KindsPerRun).toSeq.flatMap(compiled(folder, _))
      assertEquals(
        errors.map(error => s"${error.file}:${error.line}: ${error.text.linesIterator.next()}"),
        Nil
      )
      val loader = URLClassLoader(Array[URL](folder.toUri.toURL), getClass.getClassLoader)
      val failures = FieldMatrix.kinds.flatMap: kind =>
        val uses = loader.loadClass(s"matrix.of${kind.name}.Uses")
        try uses.getMethod("failures").invoke(null).asInstanceOf[Array[String]].toSeq
        catch
          case error: java.lang.reflect.InvocationTargetException =>
            Seq(s"${kind.name}: ${error.getCause}")
      assertEquals(failures, Nil)
      assert(FieldMatrix.size >= 868, s"${FieldMatrix.size} uses")

  test("every use that is documented as unsupported is one compile error that names the cure".tag(
    LongTest
  )):
    UserCompiler.inFolder: folder =>
      val refusals = FieldMatrix.refusals
      // The compiler drops an error at the same position in the library's source as another error,
      // so the kinds that share an error are compiled one by one.
      val (apart, together) = refusals.partition((kind, _) => !kind.isKey)
      val errors = (together +: apart.map(Seq(_))).flatMap: kinds =>
        val sources = kinds.map: (kind, uses) =>
          kind.name -> FieldMatrix.sourceOfRefusals(kind, uses.map(_._1))
        compiled(folder, sources)
      val traces = errors.filter(error =>
        error.text.contains("Exception occurred") || error.text.linesIterator.size > 12
      )
      assertEquals(traces, Nil)
      for (kind, uses) <- refusals; ((code, cure), k) <- uses.zipWithIndex do
        val line = FieldMatrix.sourceOfRefusals(
          kind,
          uses.map(_._1)
        ).linesIterator.indexWhere(_.contains(s"def use$k(")) + 1
        val texts = errors
          .filter(error => error.file == s"${kind.name}.scala" && error.line == line)
          .map(_.text)
        assertEquals(texts.size, 1, s"${kind.name}: $code: $texts")
        assert(texts.head.contains(cure), s"${kind.name}: $code: $texts")
end FieldMatrixTest
