package undercroft.tools

import java.security.MessageDigest

/** Writes the zip file that Maven Central's publisher takes: a part of a Maven repository, in which
  * every file has its signature and its checksums beside it.
  */
object CentralBundle:
  /** A published artifact and its files by their suffix: `.pom`, `.jar`, `-sources.jar`. */
  final case class Artifact(
      group: String,
      id: String,
      version: String,
      files: Seq[(String, os.Path)]
  ):
    /** The artifact's folder in a repository. */
    def folder: String = s"${group.replace('.', '/')}/$id/$version"

  /** Writes the bundle. Equal artifacts make equal bundles, except for the signatures.
    *
    * @param sign
    *   yields the armoured signature of a file; without it the bundle has none, and Central refuses
    *   it
    */
  def write(
      target: os.Path,
      artifacts: Seq[Artifact],
      sign: Option[os.Path => Array[Byte]]
  ): Unit =
    val entries =
      for
        artifact <- artifacts
        (suffix, file) <- artifact.files
        name = s"${artifact.folder}/${artifact.id}-${artifact.version}$suffix"
        bytes = os.read.bytes(file)
        entry <- Seq(
          name -> bytes,
          s"$name.md5" -> checksum("MD5", bytes).getBytes("UTF-8").nn,
          s"$name.sha1" -> checksum("SHA-1", bytes).getBytes("UTF-8").nn
        ) ++ sign.map(signature => s"$name.asc" -> signature(file))
      yield entry
    FixedJar.write(target, entries, None)

  /** The checksum of bytes in hexadecimal. */
  def checksum(algorithm: String, bytes: Array[Byte]): String =
    MessageDigest.getInstance(algorithm).nn.digest(bytes).nn.map(b => f"${b & 0xff}%02x").mkString
end CentralBundle
