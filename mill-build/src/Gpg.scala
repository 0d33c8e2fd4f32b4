package undercroft.tools

/** Signs files with GnuPG. Not thread-safe; [[close]] ends the agent of a throw-away key. */
final class Gpg private (home: Option[os.Path], key: String) extends AutoCloseable:
  private val common = Seq("gpg", "--batch", "--yes") ++
    home.toSeq.flatMap(folder => Seq("--homedir", folder.toString))

  /** The armoured signature of a file, verified. Throws if gpg fails.
    *
    * The environment variable `UNDERCROFT_GPG_PASSPHRASE` has the passphrase of a key that has one.
    */
  def sign(file: os.Path): Array[Byte] =
    val signature = os.temp(deleteOnExit = true)
    val passphrase = if home.isDefined then Some("") else sys.env.get("UNDERCROFT_GPG_PASSPHRASE")
    val unlock =
      if passphrase.isEmpty then Nil else Seq("--pinentry-mode", "loopback", "--passphrase-fd", "0")
    val output = Seq("--output", signature.toString, "--detach-sign", file.toString)
    os.call(
      common ++ unlock ++ Seq("--local-user", key, "--armor") ++ output,
      stdin = passphrase.getOrElse("")
    ): Unit
    os.call(common ++ Seq("--verify", signature.toString, file.toString), stderr = os.Pipe): Unit
    os.read.bytes(signature)

  def close(): Unit =
    for folder <- home do
      os.call(Seq("gpgconf", "--homedir", folder.toString, "--kill", "all"), check = false): Unit
      os.remove.all(folder)
end Gpg

object Gpg:
  def isInstalled: Boolean =
    try os.call(Seq("gpg", "--version"), check = false).exitCode == 0
    catch case _: java.io.IOException => false

  /** A key of the user's keyring: its fingerprint, or a part of its name. */
  def of(key: String): Gpg = Gpg(None, key)

  /** A new key without a passphrase, for a day, in a folder that [[close]] removes. */
  def throwAway(): Gpg =
    val home = os.temp.dir(prefix = "gpg", deleteOnExit = true) // short: it contains sockets
    if !scala.util.Properties.isWin then os.perms.set(home, "rwx------")
    val name = "Undercroft dry run <dry-run@undercroft.example>"
    val create = Seq("--quick-generate-key", name, "ed25519", "sign", "1d")
    val quiet = Seq("gpg", "--batch", "--quiet", "--homedir", home.toString, "--passphrase", "")
    os.call(quiet ++ create, stderr = os.Pipe): Unit
    Gpg(Some(home), "dry-run@undercroft.example")
end Gpg
