package undercroft.memory

import java.nio.file.{Files, Path}

/** How much memory the process may take, when nobody says: from its container or the machine. */
private[undercroft] object Limits:
  /** cgroup v1 says "no limit" with a number near 2^63. */
  private val NoLimit = 1L << 60

  /** Where nothing can be found out. */
  private val Unknown = 4L << 30

  /** Bytes of memory of the container or the machine, whichever is less. */
  lazy val systemBytes: Long = (container().toList ++ machine().toList).minOption.getOrElse(Unknown)

  /** The default limit: what the heap's maximum and a sixteenth for the JVM itself leave, but never
    * less than an eighth of the whole.
    */
  def defaultBytes(systemBytes: Long, heapBytes: Long): Long =
    (systemBytes - systemBytes / 16 - heapBytes).max(systemBytes / 8)

  def current: Long =
    Settings.limitBytes.getOrElse(defaultBytes(systemBytes, Runtime.getRuntime.maxMemory))

  private def container(): Option[Long] =
    val root = Path.of(Settings.cgroup)
    val own = ownGroup()
    val candidates =
      List(root.resolve("memory.max"), root.resolve("memory/memory.limit_in_bytes"))
        ++ own.map(group => root.resolve(group).resolve("memory.max"))
        ++ own.map(group => root.resolve("memory").resolve(group).resolve("memory.limit_in_bytes"))
    candidates.flatMap(number).filter(_ < NoLimit).minOption

  /** The process's group below the root, from lines such as `0::/user/session`. */
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
