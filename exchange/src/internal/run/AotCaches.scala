package undercroft.exchange
package internal.run

import internal.storage.Storage
import java.io.{ByteArrayOutputStream, IOException}
import java.nio.file.{Files, Path, StandardCopyOption}
import java.security.MessageDigest
import java.util.HexFormat
import java.util.zip.{ZipEntry, ZipOutputStream}
import scala.jdk.CollectionConverters.*
import scala.util.Using

/** The ahead-of-time caches of the storages' JVMs: loaded classes and profiles of an earlier run
  * (JEP 483 and 515), one file for each storage in a folder.
  *
  * A cache is valid for one class path of jars, one JDK and one set of flags, so its name contains
  * a digest of the three. Folders of the class path are packed into jars here. Throws BadInput if
  * the folder cannot be written.
  */
final class AotCaches(folder: Path):

  /** This JVM's class path, with jars in place of folders. */
  val classPath: String =
    try
      val _ = Files.createDirectories(folder)
      val entries = System.getProperty("java.class.path").nn.split(java.io.File.pathSeparatorChar)
      entries.toSeq.filter(_.nonEmpty)
        .map(entry => if Files.isDirectory(Path.of(entry)) then packed(Path.of(entry)) else entry)
        .mkString(java.io.File.pathSeparator)
    catch case error: IOException => throw BadInput(s"--aot $folder: cannot be written: $error")

  /** The cache of a storage whose JVM has these flags. */
  def fileOf(storage: Storage, flags: Seq[String]): Path =
    val jdk = System.getProperty("java.vm.version").nn + System.getProperty("java.home")
    val key = (Seq(classPath, jdk) ++ flags).mkString("\n").getBytes
    folder.resolve(s"${storage.name}-${AotCaches.digest(key)}.aot")

  /** A jar of the files below a folder; equal files have one jar. */
  private def packed(classes: Path): String =
    val bytes = ByteArrayOutputStream()
    Using.resource(ZipOutputStream(bytes)): jar =>
      Using.resource(Files.walk(classes)): paths =>
        paths.iterator.nn.asScala.filter(Files.isRegularFile(_)).toSeq.sortBy(_.toString)
          .foreach: file =>
            val name = classes.relativize(file).iterator.nn.asScala.mkString("/")
            val entry = ZipEntry(name)
            entry.setTime(AotCaches.EntryMillis)
            jar.putNextEntry(entry)
            jar.write(Files.readAllBytes(file))
            jar.closeEntry()
    val jar = folder.resolve(s"classes-${AotCaches.digest(bytes.toByteArray.nn)}.jar")
    if !Files.exists(jar) then
      val written = Files.createTempFile(folder, "classes-", ".tmp")
      val _ = Files.write(written, bytes.toByteArray)
      val _ = Files.move(written, jar, StandardCopyOption.ATOMIC_MOVE)
    jar.toAbsolutePath.toString
end AotCaches

object AotCaches:
  /** The time of each entry, so that equal files make equal bytes: 2000-01-01, as the format wants
    * a year from 1980 on.
    */
  private val EntryMillis = 946_684_800_000L

  private val DigestChars = 16

  private def digest(bytes: Array[Byte]): String =
    val sha = MessageDigest.getInstance("SHA-256").digest(bytes)
    HexFormat.of.nn.formatHex(sha).nn.take(DigestChars)
