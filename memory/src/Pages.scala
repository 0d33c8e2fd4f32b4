package undercroft.memory

/** Which pages of the processor carry large spans of memory. */
enum Pages derives CanEqual:
  /** Pages of 4 KiB, made at the first touch: right for memory that is used once. */
  case Small

  /** Pages of 2 MiB, asked for before the first touch: right for spans that are reused, and for
    * random access to more than the caches hold. Their first touch costs more on a machine that has
    * to look for free ones. Where the system has none, small ones serve.
    */
  case Huge

object Pages:
  /** Pages of the system's ordinary size. */
  val small: Pages = Pages.Small

  /** Huge pages, for spans of 2 MiB and more. */
  val huge: Pages = Pages.Huge

  /** What regions use that do not say: the property `undercroft.pages`, else small ones. */
  val default: Pages = Settings.pages match
    case "huge" => Pages.Huge
    case _      => Pages.Small

  /** The default, and what the system says of huge pages, in words for reports. */
  def describe: String = s"undercroft.pages=${default.toString.toLowerCase}, system $systemMode"

  private def systemMode: String =
    val file = java.nio.file.Path.of("/sys/kernel/mm/transparent_hugepage/enabled")
    try java.nio.file.Files.readString(file).trim
    catch case _: java.io.IOException => "unknown"
