package undercroft.memory
package internal.platform

import java.nio.file.{Files, Path}

/** The default memory limit of the process, from its container or the machine.
  *
  * Written with Java's strings, as [[Settings]], because it runs before the first allocation.
  */
private[undercroft] object Limits:
  /** cgroup v1 reports "no limit" as a number near 2^63. */
  private val NoLimit = 1L << 60

  /** Assumed memory in bytes if neither is known. */
  private val Unknown = 4L << 30

  /** Bytes of memory of the container or the machine, whichever is less. */
  lazy val systemBytes: Long =
    val leastBytes = Math.min(container(), machine())
    if leastBytes < NoLimit then leastBytes else Unknown

  /** The default limit: the system's memory minus the maximum heap and a sixteenth for the JVM
    * itself, but at least an eighth of the system's memory.
    */
  def defaultBytes(systemBytes: Long, heapBytes: Long): Long =
    Math.max(systemBytes - systemBytes / 16 - heapBytes, systemBytes / 8)

  def current: Long =
    val bytes = Settings.limitBytes
    if bytes >= 0 then bytes else defaultBytes(systemBytes, Runtime.getRuntime.maxMemory)

  private def container(): Long =
    containerBytes(Path.of(Settings.cgroup), lines(Path.of("/proc/self/cgroup")))

  /** The least limit of the root of the cgroup file system, of the process's own groups and of all
    * groups around them, in bytes: [[NoLimit]] if there is none.
    *
    * @param groups
    *   lines such as `0::/user/session`: number, controllers, path
    */
  private[memory] def containerBytes(root: Path, groups: Array[String]): Long =
    var leastBytes = limitOf(root, "")
    var i = 0
    while i < groups.length do
      val parts = groups(i).split(":", 3)
      if parts.length == 3 && (parts(1).isEmpty || parts(1).contains("memory")) then
        var group: String =
          if parts(2).startsWith("/") then parts(2).substring(1).nn else parts(2)
        while !group.isEmpty do
          leastBytes = Math.min(leastBytes, limitOf(root, group))
          group = group.substring(0, Math.max(group.lastIndexOf('/'), 0)).nn
      i += 1
    leastBytes

  /** The limit of a group by cgroup v2 or v1. */
  private def limitOf(root: Path, group: String): Long =
    val second = root.resolve(group).resolve("memory.max")
    val first = root.resolve("memory").resolve(group).resolve("memory.limit_in_bytes")
    Math.min(bytes(second), bytes(first))

  private def bytes(file: Path): Long =
    val content = lines(file)
    val bytes = if content.length == 0 then NoLimit else number(content(0).trim.nn)
    Math.min(bytes, NoLimit)

  private def machine(): Long =
    val content = lines(Path.of("/proc/meminfo"))
    var i = 0
    while i < content.length && !content(i).startsWith("MemTotal:") do i += 1
    if i == content.length then NoLimit
    else
      val size = content(i).substring("MemTotal:".length).nn // of the form "   24576000 kB"
      val kilobytes = number(size.replace("kB", "").nn.trim.nn)
      if kilobytes < NoLimit / 1024 then kilobytes * 1024 else NoLimit

  private def number(text: String): Long =
    try java.lang.Long.parseLong(text)
    catch case _: NumberFormatException => NoLimit

  private def lines(file: Path): Array[String] =
    try
      if Files.isReadable(file) then Files.readString(file).split("\n").asInstanceOf[Array[String]]
      else new Array[String](0)
    catch case _: java.io.IOException => new Array[String](0)
end Limits
