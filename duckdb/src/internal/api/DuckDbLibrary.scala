package undercroft.duckdb
package internal.api

import java.io.IOException
import java.lang.foreign.{
  Arena,
  FunctionDescriptor,
  Linker,
  MemorySegment,
  SymbolLookup,
  ValueLayout
}
import java.net.URL
import java.nio.file.{Files, Path, StandardCopyOption}
import java.util.Locale

/** The native library from DuckDB's JDBC driver, and the versions that [[DuckDbApi]] supports. */
private[duckdb] object DuckDbLibrary:

  /** Versions with a known C interface. DuckDB declares the interface unstable, so others are
    * rejected.
    */
  private val KnownVersions = "v2.0."

  /** The library's functions, or the reason why they are unavailable. */
  val symbols: Either[String, SymbolLookup] =
    resource match
      case Left(reason) => Left(reason)
      case Right(name) =>
        Option(getClass.getResource(s"/$name")) match
          case None => Left(s"there is no $name on the class path: it is in org.duckdb:duckdb_jdbc")
          case Some(url) =>
            try checked(loaded(url.nn, name))
            catch
              case refused: IllegalArgumentException =>
                Left(s"$name could not be loaded: ${refused.getMessage}")
              case error: (IOException | IllegalCallerException) =>
                Left(s"$name could not be loaded: $error")

  private def resource: Either[String, String] =
    val system = System.getProperty("os.name", "").nn.toLowerCase(Locale.ROOT).nn
    val machine = System.getProperty("os.arch", "").nn match
      case "amd64" | "x86_64"  => "amd64"
      case "aarch64" | "arm64" => "arm64"
      case architecture        => architecture
    val name =
      if system.startsWith("linux") then "linux"
      else if system.startsWith("mac") then "macos"
      else if system.startsWith("windows") then "windows"
      else system
    Right(s"libduckdb_java.so_${name}_$machine")

  /** Loads the library once for all class loaders of the JVM: it is never unloaded. Its file is
    * deleted, but the system finds a loaded library by its name, if it can.
    */
  private def loaded(url: URL, name: String): SymbolLookup =
    val property = s"undercroft.duckdb.library.$url"
    System.getProperties.nn.synchronized:
      val file = System.getProperty(property)
      try
        if file == null then load(name, property)
        else SymbolLookup.libraryLookup(file, Arena.global).nn
      catch case _: IllegalArgumentException if file != null => load(name, property)

  /** The system property for a folder in which the library's file stays for later JVMs. */
  private inline val Folder = "undercroft.duckdb.folder"

  private def load(name: String, property: String): SymbolLookup =
    val (file, isKept) = kept(name).fold((copied(name, Files.createTempFile(_, _)), false)): file =>
      (file, true)
    try
      try
        val lookup = SymbolLookup.libraryLookup(file, Arena.global).nn
        val _ = System.setProperty(property, file.toRealPath().toString)
        lookup
      catch
        case refused: IllegalArgumentException =>
          throw IllegalArgumentException(
            s"${systemReason(file).getOrElse(refused.getMessage)}; the folder ${file.getParent} must " +
              "permit execution (no mount option noexec), or -Djava.io.tmpdir=FOLDER selects another",
            refused
          )
    finally
      // A loaded library can be deleted on systems that keep its mapping.
      if !isKept && !file.toFile.nn.delete() then file.toFile.nn.deleteOnExit()
  end load

  private def copied(name: String, create: (String, String) => Path | Null): Path =
    val stream = getClass.getResourceAsStream(s"/$name").nn
    try
      val file = create("undercroft-", name).nn
      val _ = Files.copy(stream, file, StandardCopyOption.REPLACE_EXISTING)
      file
    finally stream.close()

  /** The library's file in the folder, which is created if it is missing or of another size; None
    * without such a folder, or if it cannot be written.
    */
  private def kept(name: String): Option[Path] =
    Option(System.getProperty(Folder)).flatMap: folder =>
      val file = Path.of(folder, name).nn
      val connection = getClass.getResource(s"/$name").nn.openConnection.nn
      val bytes = connection.getContentLengthLong
      try
        if !Files.isRegularFile(file) || Files.size(file) != bytes then
          val copy = copied(name, Files.createTempFile(file.getParent, _, _))
          try Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE): Unit
          finally Files.deleteIfExists(copy): Unit
        Some(file)
      catch case _: IOException => None

  /** The system's text for a library that cannot be loaded, which a lookup does not have. */
  private def systemReason(file: Path): Option[String] =
    try
      System.load(file.toString)
      None
    catch case error: UnsatisfiedLinkError => Option(error.getMessage)

  private def checked(lookup: SymbolLookup): Either[String, SymbolLookup] =
    val name = "duckdb_v2_library_version"
    if lookup.find(name).isEmpty then Left(s"it has no $name: DuckDB 2.0 is required")
    else
      val arena = Arena.ofConfined.nn
      try
        val out = arena.allocate(16, 8).nn
        val word = ValueLayout.JAVA_LONG
        val descriptor = FunctionDescriptor.of(ValueLayout.JAVA_INT, word, word)
        val call = Linker.nativeLinker.downcallHandle(lookup.findOrThrow(name), descriptor).nn
        val failed = call.invoke(out.address, 0L).asInstanceOf[Int]
        val version = if failed == 0 then CString.of(out) else "unknown"
        if version.startsWith(KnownVersions) then Right(lookup)
        else Left(s"DuckDB must be $KnownVersions*, but is $version")
      finally arena.close()
  end checked
end DuckDbLibrary

/** Strings in the form of DuckDB's C interface: a pointer and a length in bytes. */
private[duckdb] object CString:

  def of(segment: MemorySegment): String =
    val (pointer, size) =
      (segment.get(ValueLayout.JAVA_LONG, 0), segment.get(ValueLayout.JAVA_LONG, 8))
    at(pointer, size)

  def at(pointer: Long, size: Long): String =
    if size == 0 then ""
    else
      val bytes = new Array[Byte](Math.toIntExact(size))
      MemorySegment.copy(Addresses.memory, ValueLayout.JAVA_BYTE, pointer, bytes, 0, bytes.length)
      String(bytes, "UTF-8")

  /** Copies a string to native memory of the arena and returns its address. */
  def make(text: String)(using arena: Arena): Long =
    val bytes = text.getBytes("UTF-8").nn
    val content = arena.allocate(Math.max(bytes.length, 1), 1).nn
    MemorySegment.copy(bytes, 0, content, ValueLayout.JAVA_BYTE, 0, bytes.length)
    val pair = arena.allocate(16, 8).nn
    pair.set(ValueLayout.JAVA_LONG, 0, content.address)
    pair.set(ValueLayout.JAVA_LONG, 8, bytes.length)
    pair.address
end CString
