package undercroft.docs

/** The text of each package of the API: the contents of its module, as the page of modules has it.
  */
object PackageTexts:

  private val Row = """\| (?:\[)?`undercroft-([a-z0-9-]+)`(?:\]\([^)]*\))? \| (.*) \|""".r

  private val Link = """\[([^\]]*)\]\([^)]*\)""".r

  private val unsafe =
    "Operations that the library cannot check. Each states what its caller guarantees; code without " +
      "this package neither crashes the JVM nor reads another owner's bytes."

  /** The texts by the package's name, for example `undercroft.struct`. */
  def of(modules: String): Map[String, String] =
    modules.linesIterator.collect { case Row(name, contents) =>
      val text = Link.replaceAllIn(contents.nn, link => link.group(1).nn).replace("`", "").nn
      s"undercroft.${name.nn.replace('-', '.')}" -> s"${text.capitalize}."
    }.toMap

  /** The text of a package, or of its part `unsafe`. */
  def apply(texts: Map[String, String], name: String): Option[String] =
    texts.get(name).orElse(Option.when(name.endsWith(".unsafe"))(unsafe))
end PackageTexts
