package undercroft.tools.api

import java.io.File
import scala.quoted.Quotes
import scala.tasty.inspector.{Inspector, Tasty, TastyInspector}

/** Prints the public API of compiled Scala as text: one line a definition, sorted, members
  * indented.
  *
  * Arguments: the file to write, the folder of classes, and the class path they need.
  */
@main def writeApi(target: String, classes: String, classPath: String): Unit =
  val folder = os.Path(classes)
  val tasty = if os.exists(folder) then os.walk(folder).filter(_.ext == "tasty").sorted else Nil
  val dump = ApiDump()
  val read = TastyInspector.inspectAllTastyFiles(
    tasty.map(_.toString).toList,
    Nil,
    classPath.split(File.pathSeparatorChar).filter(_.nonEmpty).toList
  )(dump)
  if !read then throw IllegalStateException(s"the TASTy files in $folder could not be read")
  os.write.over(os.Path(target), dump.text, createFolders = true)

/** Collects the public definitions of all files, by package. */
final class ApiDump extends Inspector:

  private var packages = Map.empty[String, Vector[ApiLine]]

  def inspect(using quotes: Quotes)(files: List[Tasty[quotes.type]]): Unit =
    for file <- files do
      val (name, definitions) = PublicApi[quotes.type](quotes)(file.ast)
      packages =
        packages.updatedWith(name)(before => Some(before.getOrElse(Vector()) ++ definitions))

  /** The whole, by package: each a `package` line and its definitions. */
  def text: String =
    packages.toVector.filter(_._2.nonEmpty).sortBy(_._1)
      .map((name, definitions) => s"package $name\n\n" + ApiLine.show(definitions))
      .mkString("\n")
end ApiDump
