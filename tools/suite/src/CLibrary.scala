package undercroft.tools

import java.lang.foreign.*
import java.lang.invoke.MethodHandle
import java.nio.file.Files

/** Functions of a C source that gcc compiles for a test. */
final class CLibrary(lookup: SymbolLookup):
  private val linker = Linker.nativeLinker.nn

  def function(name: String, descriptor: FunctionDescriptor): MethodHandle =
    linker.downcallHandle(lookup.find(name).nn.get, descriptor).nn

  /** A function of the C library itself. */
  def standard(name: String, descriptor: FunctionDescriptor): MethodHandle =
    linker.downcallHandle(linker.defaultLookup.nn.find(name).nn.get, descriptor).nn

object CLibrary:
  /** Runs `test` with the compiled functions, or skips it without gcc. */
  def using(source: String)(test: CLibrary => Unit): Unit =
    Requirement.GCC.require()
    val folder = Files.createTempDirectory("undercroft-outside-").nn
    val (code, library) = (folder.resolve("code.c").nn, folder.resolve("code.so").nn)
    try
      Files.writeString(code, source)
      val command =
        List("gcc", "-shared", "-fPIC", "-O2", "-Wall", "-o", library.toString, code.toString)
      val exit = ProcessBuilder(command*).inheritIO.nn.start().nn.waitFor()
      munit.Assertions.assertEquals(exit, 0, "gcc rejected the source")
      val arena = Arena.ofShared().nn
      try test(CLibrary(SymbolLookup.libraryLookup(library, arena).nn))
      finally arena.close()
    finally
      for file <- List(code, library, folder) do Files.deleteIfExists(file): Unit
  end using
end CLibrary
