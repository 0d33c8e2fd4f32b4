package undercroft.memory

import internal.platform.Settings
import java.util.Locale

/** The kind of processor pages that back large spans of memory.
  *
  * {{{
  * Region.withPages(Pages.huge):
  *   println(Region.allocate(64.MiB).byteSize)
  * }}}
  */
enum Pages derives CanEqual:
  /** Pages of 4 KiB, allocated at the first touch: best for memory that is used once. */
  case Small

  /** Pages of 2 MiB, requested before the first touch: best for spans that are reused, and for
    * random access to more memory than the CPU caches hold. Their first touch costs more on a
    * machine that has to search for free ones. If the system has none, small pages are used.
    */
  case Huge

object Pages:
  /** Pages of the system's default size. */
  val small: Pages = Pages.Small

  /** Huge pages, for spans of 2 MiB and more.
    *
    * {{{
    * val index = Region.shared("index", pages = Pages.huge)
    * println(index.allocate(64.MiB, 8).byteSize) // 67108864
    * index.close()
    * }}}
    */
  val huge: Pages = Pages.Huge

  /** The default kind for regions: the property `undercroft.pages`, or else small pages. */
  val default: Pages = Settings.pages match
    case "huge" => Pages.Huge
    case _      => Pages.Small

  /** The default and the system's setting for huge pages, as text for reports.
    *
    * {{{
    * println(Pages.describe)
    * }}}
    */
  def describe: String =
    s"undercroft.pages=${default.toString.toLowerCase(Locale.ROOT)}, system $systemMode"

  private def systemMode: String =
    val file = java.nio.file.Path.of("/sys/kernel/mm/transparent_hugepage/enabled")
    try java.nio.file.Files.readString(file).trim
    catch case _: java.io.IOException => "unknown"
end Pages
