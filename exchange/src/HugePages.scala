package undercroft.exchange

import java.nio.file.{Files, Path}

/** Says which pages the storages get, because it decides much of the time of a first touch. */
object HugePages:
  private val Setting = Path.of("/sys/kernel/mm/transparent_hugepage/enabled").nn

  def words: String = s"Transparent huge pages of this system: $system"

  private def system: String =
    if Files.isReadable(Setting) then Files.readString(Setting).nn.strip.nn
    else "not known"
end HugePages
