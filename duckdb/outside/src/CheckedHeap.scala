package outside.duckdb

import java.nio.file.{Files, Path}
import undercroft.tools.ForkedJvm

/** Runs a program in its own JVM. If glibc's checking allocator is available, a double free or a
  * corrupted block ends the JVM, and freed memory is overwritten.
  */
object CheckedHeap:
  private val checker = Path.of("/lib/x86_64-linux-gnu/libc_malloc_debug.so.0")

  private val environment =
    val preloaded =
      if Files.exists(checker) then
        Map("LD_PRELOAD" -> checker.toString, "MALLOC_CHECK_" -> "3")
      else Map.empty
    preloaded ++ Map("MALLOC_PERTURB_" -> "165", "MALLOC_ARENA_MAX" -> "2")

  def run(main: Class[?], arguments: String*): ForkedJvm.Result =
    ForkedJvm.run(main, arguments = arguments, environment = environment)
end CheckedHeap
