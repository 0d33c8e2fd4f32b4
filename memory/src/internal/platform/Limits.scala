package undercroft.memory
package internal.platform

import java.nio.file.{Files, Path}

/** The default memory limit of the process, from its container or the machine. */
private[undercroft] object Limits:
  /** cgroup v1 reports "no limit" as a number near 2^63. */
  private val NoLimit = 1L << 60

  /** Assumed memory in bytes if neither is known. */
  private val Unknown = 4L << 30

  /** Bytes of memory of the container or the machine, whichever is less. */
  lazy val systemBytes: Long = (container().toList ++ machine().toList).minOption.getOrElse(Unknown)

  /** The default limit: the system's memory minus the maximum heap and a sixteenth for the JVM
    * itself, but at least an eighth of the system's memory.
    */
  def defaultBytes(systemBytes: Long, heapBytes: Long): Long =
    (systemBytes - systemBytes / 16 - heapBytes).max(systemBytes / 8)

  def current: Long =
    Settings.limitBytes.getOrElse(defaultBytes(systemBytes, Runtime.getRuntime.maxMemory))

  private def container(): Option[Long] =
    val root = Path.of(Settings.cgroup)
    val groups = ownGroup()
    val candidates =
      List(root.resolve("memory.max"), root.resolve("memory/memory.limit_in_bytes"))
        ++ groups.map(name => root.resolve(name).resolve("memory.max"))
        ++ groups.map(name => root.resolve("memory").resolve(name).resolve("memory.limit_in_bytes"))
    candidates.flatMap(number).filter(_ < NoLimit).minOption

  /** The process's cgroup below the root, from lines such as `0::/user/session`. */
  private def ownGroup(): List[String] =
    lines(Path.of("/proc/self/cgroup")).flatMap: line =>
      line.split(":", 3).toList match
        case List(_, controllers, path) if controllers == "" || controllers.contains("memory") =>
          List(path.stripPrefix("/")).filter(_.nonEmpty)
        case _ => Nil

  private def machine(): Option[Long] =
    lines(Path.of("/proc/meminfo"))
      .find(_.startsWith("MemTotal:"))
      .flatMap(_.filter(_.isDigit).toLongOption)
      .map(_ * 1024)

  private def number(file: Path): Option[Long] = lines(file).headOption.flatMap(_.trim.toLongOption)

  private def lines(file: Path): List[String] =
    try if Files.isReadable(file) then Files.readString(file).linesIterator.toList else Nil
    catch case _: java.io.IOException => Nil
end Limits
