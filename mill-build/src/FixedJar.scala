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
    val zip = ZipInputStream(os.read.inputStream(jar))
    try
      Iterator
        .continually(Option(zip.getNextEntry))
        .takeWhile(_.isDefined)
        .flatten
        .filterNot(_.isDirectory)
        .map(entry => (entry.getName.nn, zip.readAllBytes().nn))
        .toVector
    finally zip.close()

  /** The path of a source file in a sources jar: its package's folders, then its name. */
  def sourcePath(fileName: String, source: String): String =
    val clauses = source.linesIterator
      .dropWhile(!_.startsWith("package "))
      .takeWhile(line => line.startsWith("package ") || line.isBlank)
      .collect { case s"package $name" => name.takeWhile(c => !" ;:/".contains(c)) }
    (clauses.mkString(".").split('.').filter(_.nonEmpty) :+ fileName).mkString("/")
end FixedJar
