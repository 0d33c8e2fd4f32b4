import java.lang.foreign.{FunctionDescriptor, Linker}
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT}
import java.nio.file.Files
import undercroft.memory.*
import undercroft.struct.*

// C's struct stat of Linux on x86-64; each time is a struct timespec
case class Timespec(seconds: Long, nanos: Long) derives Struct
case class Stat(
    dev: Long,
    ino: Long,
    nlink: Long,
    mode: Int,
    uid: Int,
    gid: Int,
    pad: Int,
    rdev: Long,
    size: Long,
    blksize: Long,
    blocks: Long,
    accessed: Timespec,
    modified: Timespec,
    changed: Timespec,
    reserved: InlineArray[Long, 3]
) derives Struct

@main def fileStatus(): Unit =
  val linker = Linker.nativeLinker
  Region.scoped:
    val stat = linker.downcallHandle(
      linker.defaultLookup.find("stat").get,
      FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS)
    )
    val file = Files.write(Files.createTempFile("stat", ".bin"), new Array[Byte](1234))
    val path = Region.current.allocateFrom(file.toString) // a string of C, with its NUL
    val stats = Rows[Stat](1)
    println(stat.invokeWithArguments(path, stats.segment))
    println((Struct[Stat].size, stats(0).size, stats(0).nlink, stats(0).mode.toOctalString))
    println(stats(0).modified.seconds == Files.getLastModifiedTime(file).toMillis / 1000)

// runs on: Linux amd64
// prints:
// 0
// (144,1234,1,100600)
// true
