package undercroft.tools

import java.io.ByteArrayOutputStream
import java.time.LocalDateTime
import java.util.jar.Manifest
import java.util.zip.{ZipEntry, ZipInputStream, ZipOutputStream}

/** Writes zip and jar files whose bytes depend on their entries alone, never on clock, time zone,
  * folder or file system. Not thread-safe. The compression is the running JDK's zlib: two machines
  * need the same one for equal bytes.
  */
final class FixedJar(target: os.Path) extends AutoCloseable:
  private val out = ZipOutputStream(os.write.over.outputStream(target))
  private val seen = scala.collection.mutable.Set.empty[String]

  /** Adds an entry, unless one of that name exists. */
  def add(name: String, bytes: Array[Byte]): Unit =
    if seen.add(name) then
      val entry = ZipEntry(name)
      entry.setTimeLocal(FixedJar.time)
      out.putNextEntry(entry)
      out.write(bytes)
      out.closeEntry()

  def addManifest(manifest: Manifest): Unit =
    val bytes = ByteArrayOutputStream()
    manifest.write(bytes)
    add("META-INF/MANIFEST.MF", bytes.toByteArray.nn)

  def close(): Unit = out.close()
end FixedJar

object FixedJar:
  /** The time of every entry. Not the first of January: a zip file stores that as "no time", and
    * the JDK then adds a field that depends on the time zone.
    */
  val time: LocalDateTime = LocalDateTime.of(1980, 2, 1, 0, 0, 0).nn

  /** Writes a jar: the manifest, then the files by name. The first of two files of a name counts.
    */
  def write(target: os.Path, files: Seq[(String, Array[Byte])], manifest: Option[Manifest]): Unit =
    val jar = FixedJar(target)
    try
      manifest.foreach(jar.addManifest)
      for (name, bytes) <- files.distinctBy(_._1).sortBy(_._1) do jar.add(name, bytes)
    finally jar.close()

  /** The files below a folder, by their path from it. */
  def filesOf(folder: os.Path): Seq[(String, Array[Byte])] =
    if !os.isDir(folder) then Nil
    else
      os.walk(folder).filter(os.isFile(_)).map(file =>
        (file.relativeTo(folder).segments.mkString("/"), os.read.bytes(file))
      )

  /** The files of a zip or jar file. */
  def entriesOf(jar: os.Path): Seq[(String, Array[Byte])] =
    val entries = Vector.newBuilder[(String, Array[Byte])]
    each(jar)((name, bytes) => entries += name -> bytes: Unit)
    entries.result()

  /** Uses each file of a folder or a jar. */
  private def each(part: os.Path)(use: (String, Array[Byte]) => Unit): Unit =
    if os.isDir(part) then filesOf(part).sortBy(_._1).foreach(use(_, _))
    else
      val zip = ZipInputStream(os.read.inputStream(part))
      try
        Iterator.continually(Option(zip.getNextEntry)).takeWhile(_.isDefined).flatten
          .filterNot(_.isDirectory)
          .foreach(entry => use(entry.getName.nn, zip.readAllBytes().nn))
      finally zip.close()

  /** Writes a runnable jar from `first` and a class path of folders and jars. Of files with one
    * name the first counts, but lists of services are joined, and the licences of a jar go to a
    * folder of its name.
    */
  def writeAll(
      target: os.Path,
      first: Seq[(String, Array[Byte])],
      classPath: Seq[os.Path],
      manifest: Manifest
  ): Unit =
    val services = scala.collection.mutable.LinkedHashMap.empty[String, String]
    val jar = FixedJar(target)
    try
      jar.addManifest(manifest)
      for (name, bytes) <- first do jar.add(name, bytes)
      for part <- classPath if os.exists(part) do
        each(part): (name, bytes) =>
          if name.startsWith("META-INF/services/") then
            val lines = String(bytes, "UTF-8").stripLineEnd + "\n"
            services(name) = services.getOrElse(name, "") + lines
          else if isLicence(name) then
            val file = s"${part.last.stripSuffix(".jar")}/${name.stripPrefix("META-INF/")}"
            if !first.exists(_._2.sameElements(bytes)) then
              jar.add(s"META-INF/licenses/$file", bytes)
          else if !isOfOneJar(name) then jar.add(name, bytes)
      for (name, lines) <- services do jar.add(name, lines.getBytes("UTF-8").nn)
    finally jar.close()
  end writeAll

  /** Whether a file is the text of a licence or a notice, by its name. */
  private def isLicence(name: String): Boolean =
    name.matches("(?i)(META-INF/)?((LICEN[CS]E|NOTICE|COPYING|COPYRIGHT)[^/]*|licenses/.*)") &&
      !name.endsWith(".class")

  /** Whether a file belongs to a single jar: its manifest, signatures, index and module; or is a
    * library of DuckDB's for other systems than Linux, some 60 MB each.
    */
  private def isOfOneJar(name: String): Boolean =
    name.matches("META-INF/(MANIFEST.MF|INDEX.LIST|[^/]*\\.(SF|RSA|DSA|EC))") ||
      name.endsWith("module-info.class") ||
      name.startsWith("libduckdb_java.so_") && !name.contains("_linux_")

  /** The path of a source file in a sources jar: its package's folders, then its name. */
  def sourcePath(fileName: String, source: String): String =
    val clauses = source.linesIterator
      .dropWhile(!_.startsWith("package "))
      .takeWhile(line => line.startsWith("package ") || line.isBlank)
      .collect { case s"package $name" => name.takeWhile(c => !" ;:/".contains(c)) }
    (clauses.mkString(".").split('.').filter(_.nonEmpty) :+ fileName).mkString("/")
end FixedJar
