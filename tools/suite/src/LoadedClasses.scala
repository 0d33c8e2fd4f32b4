package undercroft.tools

import munit.Assertions.*

/** The classes that the first use of a library loads: loading one from a jar takes as long as some
  * thousand calls, and a class of Scala's collections brings a hundred others.
  */
object LoadedClasses:
  /** The classes that a main class loads from its own loading on and that the JDK's class-data
    * archive does not have. Their number does not depend on the machine or its load.
    */
  def of(main: Class[?]): List[String] =
    val result = ForkedJvm.run(main, ForkedJvm.Granted :+ "-Xlog:class+load:stdout:none")
    assertEquals(result.exit, 0, result.output)
    val name = main.getName.stripSuffix("$")
    result.output.linesIterator
      .flatMap:
        case s"$loaded source: $source" => Some(loaded -> source)
        case _                          => None
      .dropWhile((loaded, _) => loaded != name)
      .collect { case (loaded, source) if !source.contains("shared objects file") => loaded }
      .toList

  /** Fails with their names if a main class loads more than `most` classes, or any that brings
    * Scala's collections.
    */
  def assertAtMost(most: Int, main: Class[?]): Unit =
    val loaded = of(main)
    assert(loaded.nonEmpty, "the log has no class")
    if loaded.size > most then
      fail(s"${loaded.size} classes, not at most $most:\n${loaded.mkString("\n")}")
    assertEquals(loaded.filter(collections), Nil)

  private val collections = Set("scala.Predef$", "scala.collection.immutable.List")
end LoadedClasses
