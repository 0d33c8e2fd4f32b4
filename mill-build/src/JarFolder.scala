package undercroft.tools

/** The folders that the build makes jars of. */
object JarFolder:
  /** Copies the files of a class path, which consists of folders and jars, to one folder. The first
    * of two files of a name counts, but lists of services are joined, and the licences of a jar go
    * to a folder of its name.
    */
  def merge(classPath: Seq[os.Path], target: os.Path): Unit =
    for part <- classPath if os.exists(part) do
      val folder = if os.isDir(part) then part else os.temp.dir(dir = target / os.up)
      if os.isFile(part) then os.unzip(part, folder, excludePatterns = ofOneJar): Unit
      for file <- os.walk(folder) if os.isFile(file) do
        val name = file.subRelativeTo(folder)
        val copy =
          if isLicence(name.toString) then target / "META-INF" / "licenses" / part.baseName / name
          else target / name
        if name.startsWith(os.sub / "META-INF" / "services") then
          val lines = os.read(file).stripLineEnd + "\n"
          os.write.append(copy, lines, createFolders = true)
        else if !os.exists(copy) then os.copy(file, copy, createFolders = true)
      if os.isFile(part) then os.remove.all(folder)

  /** The path of a source file in a sources jar: its package's folders, then its name. */
  def sourcePath(fileName: String, source: String): os.SubPath =
    val clauses = source.linesIterator
      .dropWhile(!_.startsWith("package "))
      .takeWhile(line => line.startsWith("package ") || line.isBlank)
      .collect { case s"package $name" => name.takeWhile(c => !" ;:/".contains(c)) }
    os.SubPath(clauses.mkString(".").split('.').filter(_.nonEmpty).toIndexedSeq :+ fileName)

  private def isLicence(name: String): Boolean =
    name.matches("(?i)(META-INF/)?((LICEN[CS]E|NOTICE|COPYING|COPYRIGHT)[^/]*|licenses/.*)") &&
      !name.endsWith(".class")

  /** The files that belong to a single jar: its manifest, signatures, index and module; and the
    * libraries of DuckDB for other systems than Linux, some 60 MB each.
    */
  private val ofOneJar = Seq(
    """^META-INF/(MANIFEST\.MF|INDEX\.LIST|[^/]*\.(SF|RSA|DSA|EC))$""",
    """(^|/)module-info\.class$""",
    """^libduckdb_java\.so_(?!linux_)"""
  ).map(_.r)
end JarFolder
