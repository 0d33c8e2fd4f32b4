package undercroft.tools.publish

/** A copy of the project's files, without build outputs, in a temporary folder. */
final class Workspace(val folder: os.Path):

  /** Runs `./mill` here in a process of its own, which ends with its server. Throws if it fails. */
  def mill(arguments: String*): String =
    val launcher = if os.exists(folder / "mill") then folder / "mill" else Workspace.source / "mill"
    Workspace.call(
      folder,
      Seq("sh", launcher.toString, "--no-daemon", "--ticker", "false") ++ arguments
    )

object Workspace:
  val source: os.Path = os.Path(sys.env("UNDERCROFT"))
  val javaHome: String = sys.env("JAVA_HOME")

  /** Copies the files that git tracks or would track. */
  def copy(folder: os.Path): Workspace =
    undercroft.tools.Requirement.GIT.require()
    val list = Seq("git", "ls-files", "--cached", "--others", "--exclude-standard")
    for name <- os.call(list, cwd = source).out.lines() do
      val file = source / os.RelPath(name)
      if os.isFile(file) then os.copy(file, folder / os.RelPath(name), createFolders = true)
    Workspace(folder)

  /** Runs a command; a failure contains the end of its output. */
  def call(folder: os.Path, command: Seq[String], environment: Map[String, String] = Map.empty) =
    val ended = os.call(
      command,
      cwd = folder,
      env = Map("JAVA_HOME" -> javaHome) ++ environment,
      mergeErrIntoOut = true,
      check = false
    )
    val output = ended.out.text()
    if ended.exitCode != 0 then
      val end = output.linesIterator.toVector.takeRight(40).mkString("\n")
      throw IllegalStateException(s"${command.mkString(" ")} ended with ${ended.exitCode}:\n$end")
    output
end Workspace
