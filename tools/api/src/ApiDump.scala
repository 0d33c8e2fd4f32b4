package undercroft.tools.api

import java.io.{File, PrintWriter, StringWriter}
import java.util.spi.ToolProvider
import scala.quoted.Quotes
import scala.tasty.inspector.{Inspector, Tasty, TastyInspector}

/** Writes or checks the public API of modules as text: one line a definition, sorted, members
  * indented.
  *
  * Arguments: `dump` or `check`, then for each module its `api.txt`, the folder of its classes and
  * the class path that they need. A check ends with exit code 1 if a text differs.
  */
object Main:
  def main(args: Array[String]): Unit =
    val modules = args.toVector.tail.grouped(3).toVector.map: module =>
      (os.Path(module(0)), ApiDump.of(os.Path(module(1)), module(2)))
    args.head match
      case "dump" =>
        for (text, api) <- modules do
          os.write.over(text, api)
          println(s"wrote $text")
      case "check" =>
        val differences = modules.flatMap: (text, api) =>
          ApiDump.difference(text.toString, if os.exists(text) then os.read(text) else "", api)
        println(differences.mkString("\n"))
        if differences.nonEmpty then System.exit(1)

object ApiDump:
  /** The public API of compiled Scala, or of class files where there is no TASTy. */
  def of(classes: os.Path, classPath: String): String =
    val files = if os.exists(classes) then os.walk(classes).sorted else Nil
    val tasty = files.filter(_.ext == "tasty").map(_.toString).toList
    if tasty.isEmpty then
      javap(classes, files.filter(_.ext == "class").filterNot(_.segments.contains("internal")))
    else
      val dump = ApiDump()
      val path = classPath.split(File.pathSeparatorChar).filter(_.nonEmpty).toList
      if !TastyInspector.inspectAllTastyFiles(tasty, Nil, path)(dump) then
        throw IllegalStateException(s"the TASTy files in $classes could not be read")
      dump.text

  /** The members that each record and each enum has by its superclass. */
  private val Implied =
    """  public final \w+(\.\w+)* (toString\(\)|hashCode\(\)|equals\(java.lang.Object\));""" +
      """|  public static \S+ (values\(\)|valueOf\(java.lang.String\));"""

  /** What `javap` prints of the public classes, without implied members. */
  private def javap(folder: os.Path, classes: Seq[os.Path]): String =
    val printed = StringWriter()
    val tool = ToolProvider.findFirst("javap").nn.orElseThrow.nn
    val code = tool.run(
      PrintWriter(printed),
      PrintWriter(System.err),
      "-public" +: classes.sortBy(_.relativeTo(folder).toString).map(_.toString)*
    )
    if code != 0 then throw IllegalStateException(s"javap could not read the classes in $folder")
    val lines = printed.toString.linesIterator
      .filterNot(line => line.startsWith("Compiled from") || line.matches(Implied))
    lines.mkString("\n").split("(?m)^}\n?").toVector.map(_.strip.nn)
      .filter(_.startsWith("public")).mkString("", "\n}\n\n", "\n}\n")

  /** The lines that a text and an API do not share, or nothing if they are equal. */
  def difference(name: String, text: String, api: String): Option[String] =
    Option.when(text != api):
      val (agreed, now) = (text.linesIterator.toVector, api.linesIterator.toVector)
      val lines = agreed.diff(now).map("- " + _) ++ now.diff(agreed).map("+ " + _)
      s"$name differs from the public API; if the change is meant, run apiDump of its module and " +
        s"add a line to CHANGELOG.md:\n${lines.mkString("\n")}"
end ApiDump

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
