package undercroft.memory

import internal.alloc.PagePool
import internal.cage.Cage
import internal.observe.NamedBudgets
import java.nio.file.Files
import undercroft.tools.{ForkedJvm, Requirement, SmallDisk}

/** Behavior under other flags and limits. Each test forks a JVM. */
class PlatformTest extends undercroft.tools.Suite:
  private val Granted = ForkedJvm.Granted :+ ForkedJvm.WithoutC2
  private val Denied = ForkedJvm.Denied :+ ForkedJvm.WithoutC2

  private def allGood(result: ForkedJvm.Result, says: String): Unit =
    assert(result.output.contains("all good"), result.output)
    assert(result.output.contains(says), result.output)
    assertEquals(result.exit, 0, result.output)

  test("memory works without a JVM warning if native access is granted"):
    val result = ForkedJvm.run(classOf[Day.type], Granted)
    allGood(result, "reserved address space")
    assert(!result.output.contains("WARNING"), result.output)

  test("memory works on a file in shared memory if native access is denied"):
    val result = ForkedJvm.run(classOf[Day.type], Denied)
    allGood(result, "native access being denied")
    assert(!result.output.contains("WARNING"), result.output)

  test("an interrupt of any thread leaves memory usable if native access is denied"):
    val result = ForkedJvm.run(classOf[Interrupted.type], Denied)
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("Malloc never stores outside its pages if a late store overwrites a page header"):
    val result = ForkedJvm.run(classOf[Overwritten.type], Granted)
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("a mapping that the system rejects changes nothing if native access is denied"):
    val flags = Seq("-XX:ReservedCodeCacheSize=64m", "-XX:CompressedClassSpaceSize=64m")
    val result = ForkedJvm.run(
      classOf[Unmapped.type],
      Denied ++ flags,
      shell = "ulimit -v 16000000;"
    )
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("memory works if sun.misc.Unsafe memory access is denied"):
    allGood(
      ForkedJvm.run(classOf[Day.type], Granted :+ "--sun-misc-unsafe-memory-access=deny"),
      "reserved address space"
    )

  test("memory works in a runtime without the modules of JFR, JMX and sun.misc.Unsafe"):
    val flags = Seq("--limit-modules", "java.base")
    val beanFlag = "-Dundercroft.mxbean=on" // there is no JMX to register it with
    allGood(
      ForkedJvm.run(classOf[Day.type], Granted ++ flags :+ beanFlag),
      "reserved address space"
    )
    val bean = ForkedJvm.run(classOf[Managed.type], Granted ++ flags)
    assert(bean.output.contains("this runtime has no module java.management"), bean.output)

  test("the property undercroft.mxbean registers the LedgerMXBean at the first use of memory"):
    val result = ForkedJvm.run(classOf[Managed.type], Granted :+ "-Dundercroft.mxbean=on")
    assert(result.output.contains("registered true\nregistered true"), result.output)
    val without = ForkedJvm.run(classOf[Managed.type], Granted)
    assert(without.output.contains("registered false\nregistered true"), without.output)

  test("the cage is smaller if the address space is limited"):
    val result = ForkedJvm.run(
      classOf[Day.type],
      Granted ++ Seq("-XX:ReservedCodeCacheSize=64m", "-XX:CompressedClassSpaceSize=64m"),
      shell = "ulimit -v 16000000;"
    )
    allGood(result, "bytes of reserved address space")
    assert(!result.output.contains(s"${Cage.FullRange} bytes"), result.output)

  test("pages and blocks whose generations are used up are retired"):
    allGood(
      ForkedJvm.run(classOf[Wear.type], Granted :+ "-Dundercroft.generationBits=4"),
      "retired"
    )

  test("the cage is excluded from core dumps and forks"):
    assume(Cage.space.returnsMemory, "only reserved address space has these flags")
    Region.scoped:
      val segment = Region.allocate(4096)
      val flags = smapsFlags(segment.address)
      assert(flags.contains("dd"), flags.toString)
      assert(flags.contains("dc"), flags.toString)

  test("a core dump contains the memory of the JVM but not the cage"):
    assume(Cage.space.returnsMemory, "only reserved address space is left out of core dumps")
    Requirement.KILL.require()
    Requirement.CORE_DUMPS.require()
    val folder = Files.createTempDirectory("core")
    try
      // 8 GiB at most: a dump of 16 TiB would reach the limit at once.
      val shell = s"ulimit -c 8388608 && cd '$folder' &&"
      val flags = Granted :+ "-XX:+CreateCoredumpOnCrash"
      val result = ForkedJvm.run(classOf[Aborting.type], flags, shell = shell)
      val cores = Files.list(folder).toList
      Requirement.CORE_DUMPS.require(!cores.isEmpty)
      assert(result.output.contains("holding"), result.output)
      val size = Files.size(cores.get(0))
      assert(size > 16.MiB && size < 4.GiB, s"$size bytes")
    finally
      val files = Files.list(folder)
      files.forEach(Files.delete(_))
      files.close()
      Files.delete(folder)

  test("locking the memory of the process does not commit reserved address space"):
    assume(Cage.space.returnsMemory, "only reserved address space can be locked whole")
    val range = "-Dundercroft.range=64g" // a locked cage of 16 TiB would not fit
    val result = ForkedJvm.run(classOf[Locked.type], Granted :+ range)
    Requirement.LOCKED_MEMORY.require(!result.output.contains("refused"))
    allGood(result, "reserved address space")
    val sizes = result.output.linesIterator.collect { case s"Vm$what: $size kB" =>
      what -> size.trim.toLong
    }.toMap
    assert(sizes("RSS") < 800_000, result.output) // the writable part alone is 1 GiB
    assert(sizes("PTE") < 32_000, result.output) // page tables of 64 GiB are 128 MiB

  test("a region advises huge pages if and only if it is opened with Pages.Huge"):
    assume(Cage.space.returnsMemory, "only reserved address space has these flags")
    for pages <- Pages.values do
      Region.withPages(pages):
        val flags = smapsFlags(Region.allocate(16.MiB).address)
        assertEquals(flags.contains("hg"), pages == Pages.Huge, flags.toString)

  test("exhausting a small shared-memory file system throws an exception that names its folder"):
    SmallDisk("64m").use: folder =>
      val flags = Denied :+ s"-Dundercroft.directory=$folder"
      allGood(ForkedJvm.run(classOf[Day.type], flags), s"in $folder, native access being denied")
      val greedy = ForkedJvm.run(classOf[Greedy.type], flags)
      assertEquals(greedy.exit, 0, greedy.output)
      assert(greedy.output.contains("are available in the budget of"), greedy.output)
      val vast = ForkedJvm.run(classOf[Vast.type], flags)
      assertEquals((vast.output.trim, vast.exit), ("all good", 0))

  test("the limit in a container is the container's limit less the heap maximum and a JVM reserve"):
    val folder = Files.createTempDirectory("cgroup")
    val file = folder.resolve("memory.max")
    Files.writeString(file, (512L << 20).toString): Unit
    val flags = Granted :+ s"-Dundercroft.cgroup=$folder"
    val result = ForkedJvm.run(classOf[Greedy.type], flags)
    Files.delete(file)
    Files.delete(folder)
    assertEquals(result.exit, 0, result.output)
    assert(
      result.output.contains(s"limit ${(512L << 20) - (32L << 20) - (256L << 20)}"),
      result.output
    )
    assert(result.output.contains("in the budget of the whole process"), result.output)

  test("the property undercroft.limit overrides the default limit"):
    val result = ForkedJvm.run(classOf[Greedy.type], Granted :+ "-Dundercroft.limit=100m")
    assert(result.output.contains(s"limit ${100L << 20}"), result.output)
    assert(result.output.contains("in the budget of the whole process"), result.output)

  test("idle pages between live ones serve blocks when the limit has no room for new pages"):
    val limit = "-Dundercroft.limit=64m"
    val result = ForkedJvm.run(classOf[Fragmented.type], Granted :+ limit)
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("memory works if the system grants less writable memory than a step of the cage"):
    val flags = Seq("-Dundercroft.limit=64m", "-Dundercroft.range=1g")
    val result = ForkedJvm.run(
      classOf[Fragmented.type],
      Granted ++ flags,
      shell = "ulimit -d 1000000;" // in KiB: less than 1 GiB
    )
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("a request beyond the limit uses no room of the file if native access is denied"):
    val limit = "-Dundercroft.limit=64m"
    val result = ForkedJvm.run(classOf[Oversized.type], Denied :+ limit)
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("a setting with an unknown value is refused with the known values"):
    val settings = List(
      "undercroft.limit=much" -> "undercroft.limit=much is not a size",
      "undercroft.pages=large" -> "undercroft.pages=large is neither small nor huge",
      "undercroft.native=no" -> "undercroft.native=no is neither on nor off",
      "undercroft.leaks=true" -> "undercroft.leaks=true is neither off nor on",
      "undercroft.mxbean=yes" -> "undercroft.mxbean=yes is neither off nor on",
      "undercroft.generationBits=many" -> "undercroft.generationBits=many is not in [2, 20]",
      "undercroft.range=512m" -> "undercroft.range=512m is not at least 1g",
      "undercroft.range=0" -> "undercroft.range=0 is not at least 1g"
    )
    val result = ForkedJvm.run(classOf[Refused.type], Granted, settings.map(_._1))
    val reasons = result.output.linesIterator.toList
    assertEquals(reasons.size, settings.size, result.output)
    for (reason, (_, message)) <- reasons.zip(settings) do assert(reason.contains(message), reason)

  private def smapsFlags(address: Long): Set[String] =
    val lines = Files.readString(java.nio.file.Path.of("/proc/self/smaps")).linesIterator
    val range = "([0-9a-f]+)-([0-9a-f]+) .*".r
    lines
      .dropWhile:
        case range(from, until) =>
          val a = java.lang.Long.parseUnsignedLong(from, 16)
          val b = java.lang.Long.parseUnsignedLong(until, 16)
          !(a <= address && address < b)
        case _ => true
      .find(_.startsWith("VmFlags:"))
      .fold(Set.empty)(_.split("\\s+").toSet)
end PlatformTest

/** Prints whether the MXBean is registered after the first use of memory, and after its
  * registration.
  */
object Managed:
  def main(args: Array[String]): Unit =
    Region.scoped(Region.allocate(8)): Unit
    if ModuleLayer.boot.findModule("java.management").isPresent then tell()
    try Ledger.registerMXBean()
    catch case e: UnsupportedOperationException => println(e.getMessage)
    if ModuleLayer.boot.findModule("java.management").isPresent then tell()

  private def tell(): Unit =
    val server = java.lang.management.ManagementFactory.getPlatformMBeanServer
    val there = server.isRegistered(javax.management.ObjectName(LedgerMXBean.Name))
    println(s"registered $there")

/** Prints why [[Day]] fails with each setting: with classes of its own, which read it anew. */
object Refused:
  def main(args: Array[String]): Unit =
    val folders = System.getProperty("java.class.path").split(java.io.File.pathSeparator)
    val urls = folders.map(folder => java.io.File(folder).toURI.toURL)
    for case s"$name=$value" <- args do
      System.setProperty(name, value)
      val loader = java.net.URLClassLoader(urls, ClassLoader.getPlatformClassLoader)
      val day = loader.loadClass(Day.getClass.getName.stripSuffix("$"))
      try
        day.getMethod("main", classOf[Array[String]]).invoke(null, Array[String]()): Unit
        println(s"$name=$value is not refused")
      catch
        case e: ReflectiveOperationException =>
          val causes = Iterator.iterate[Throwable | Null](e)(_.nn.getCause).takeWhile(_ != null)
          println(causes.mkString(", "))
      System.clearProperty(name)

/** Ends by a signal that makes the system write a core dump. */
object Aborting:
  def main(args: Array[String]): Unit =
    val region = Region.shared()
    val segment = region.allocate(16.MiB, 8).fill(1)
    println(s"holding ${segment.byteSize} bytes")
    val pid = ProcessHandle.current.pid
    val _ = ProcessBuilder("kill", "-ABRT", pid.toString).start().waitFor()
    java.util.concurrent.CountDownLatch(1).await() // for the signal

/** Runs [[Day]] in a process that locks all its future mappings. */
object Locked:
  private val MclFuture = 2

  def main(args: Array[String]): Unit =
    val linker = java.lang.foreign.Linker.nativeLinker()
    val int = java.lang.foreign.ValueLayout.JAVA_INT
    val call = linker.downcallHandle(
      linker.defaultLookup().findOrThrow("mlockall"),
      java.lang.foreign.FunctionDescriptor.of(int, int)
    )
    val failed = call.invoke(MclFuture).asInstanceOf[Int]
    if failed != 0 then println("mlockall refused")
    Day.main(args)
    val status = Files.readString(java.nio.file.Path.of("/proc/self/status"))
    println(status.replace('\t', ' ').linesIterator.filter(_.startsWith("Vm")).mkString("\n"))

/** Allocates until the budget rejects a charge; then all operations must still work. */
object Greedy:
  def main(args: Array[String]): Unit =
    println(s"limit ${Ledger.limitBytes}")
    val e =
      try
        Region.scoped:
          while true do Region.allocate(1.MiB): Unit
        ""
      catch case e: MemoryLimitException => e.getMessage
    println(e)
    Region.scoped:
      for _ <- 1 to 10 do Region.allocate(1.MiB): Unit
    assert(Ledger.report().liveBytes <= 16.MiB, Ledger.report().show)

/** Fills most of 64 MiB with live pages and idle ones between them, then allocates more. */
object Fragmented:
  private def page(): Region =
    val region = Region.shared()
    region.allocateBlock(8, 8): Unit
    region

  def main(args: Array[String]): Unit =
    val regions = Vector.fill(1000)(page())
    for i <- regions.indices by 2 do regions(i).close()
    val blocks = Vector.fill(10_000)(Malloc.allocateBlock(1000, 8))
    for block <- blocks do assert(Cage.getLong(block.bits, 992) == 0)
    val more = Vector.fill(100)(page())
    for block <- blocks do Malloc.free(block)
    more.foreach(_.close())
    println("all good")
end Fragmented

/** Repeatedly requests more than the limit of the process. */
object Oversized:
  def main(args: Array[String]): Unit =
    Region.scoped(Region.allocate(8)): Unit
    val end = Cage.space.readableEnd
    for _ <- 1 to 10 do
      val error =
        try
          Malloc.allocateBlock(Ledger.limitBytes + 1, 8): Unit
          "none"
        catch case e: MemoryLimitException => e.budget
      assert(error == "the whole process", error)
    assert(Cage.space.readableEnd == end, s"$end, ${Cage.space.readableEnd}")
    println("all good")

/** Uses up pages and slots with sixteen generations. */
object Wear:
  def main(args: Array[String]): Unit =
    for round <- 1 to 20_000 do
      val (inside, address) = Region.scoped:
        val block = Region.current.allocateBlock(64, 8)
        Cage.setLong(block.bits, 0, round.toLong)
        (Cage.getLong(block.bits, 0), block)
      assert(inside == round.toLong)
      val stale =
        try Cage.getLong(address.bits, 0) == round.toLong
        catch case _: StaleReferenceException => false
      assert(!stale, s"round $round")
      val slot = Malloc.allocateBlock(5000, 8)
      Cage.setLong(slot.bits, 0, round.toLong)
      assert(Cage.getLong(slot.bits, 0) == round.toLong)
      Malloc.free(slot)
      val isLive =
        try Cage.getLong(slot.bits, 0) >= 0
        catch case _: StaleReferenceException => false
      assert(!isLive, s"slot in round $round")
    for _ <- 1 to 40 do
      Region.scoped:
        val big = Region.allocate(5.MiB)
        assert(big.get(java.lang.foreign.ValueLayout.JAVA_LONG, 4.MiB) == 0)
        big.fill(1): Unit
    println(s"retired ${PagePool.retiredBytes} bytes that can not be returned yet")
    assert(Ledger.report().liveBytes < 64.MiB, Ledger.report().show)
    println("all good")
  end main
end Wear

/** Stores into the headers of pages and slots of [[Malloc]], as a store does that raced with the
  * close of the page's previous owner, while blocks are allocated and freed.
  */
object Overwritten:
  private val Seeds = 200
  private val Steps = 2000

  def main(args: Array[String]): Unit =
    for seed <- 1 to Seeds do
      val failure = java.util.concurrent.atomic.AtomicReference[Throwable | Null](null)
      // A new thread takes over the pages of the previous one.
      val thread = Thread: () =>
        try steps(scala.util.Random(seed))
        catch case e: Throwable => failure.set(e)
      thread.start()
      thread.join()
      val e = failure.get
      if e != null then throw AssertionError(s"seed $seed", e)
    println("all good")

  private def steps(random: scala.util.Random): Unit =
    val blocks = scala.collection.mutable.ArrayBuffer[Address]()
    var stale = Address.ofBits(0)
    for _ <- 1 to Steps do
      random.nextInt(16) match
        case 0 if blocks.nonEmpty =>
          overwrite(blocks(random.nextInt(blocks.size)).offset & -Cage.PageBytes, random)
        case 1 if stale.bits != 0 => overwrite(stale.offset & -64L, random)
        case n if n > 8 && blocks.nonEmpty =>
          stale = blocks.remove(random.nextInt(blocks.size))
          try Malloc.free(stale)
          catch case _: InvalidFreeException => ()
        case _ => blocks += Malloc.allocateBlock(1L << random.nextInt(14), 8)

  private def overwrite(header: Long, random: scala.util.Random): Unit =
    val value = random.nextInt(4) match
      case 0 => random.nextLong()
      case 1 => random.nextLong() & (Cage.FullRange - 1)
      case 2 => random.nextLong() & (Cage.FullRange - 1) & -Cage.PageBytes
      case _ => random.nextInt(1 << 20).toLong
    val at = header + random.nextInt(6) * 8
    Cage.segment.set(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, at, value)
end Overwritten

/** Allocates in threads that are interrupted before and meanwhile. */
object Interrupted:
  private val Rounds = 1000

  def main(args: Array[String]): Unit =
    val region = Region.shared()
    region.allocate(8, 8): Unit
    Thread.currentThread.interrupt()
    region.allocate(1.MiB, 8).fill(1): Unit
    Reservation(1.GiB).segment(1.MiB).fill(1): Unit
    assert(Thread.interrupted(), "the thread is interrupted still")
    region.allocate(4.MiB, 8).fill(1): Unit
    val failure = java.util.concurrent.atomic.AtomicReference[Throwable | Null](null)
    val allocating = List.fill(2):
      Thread: () =>
        try
          for i <- 1 to Rounds do
            Region.scoped(Region.allocate(64.KiB).fill(1)): Unit
            Malloc.free(Malloc.allocate(i % 3 * 100L, 8))
        catch case e: Throwable => failure.set(e)
    allocating.foreach(_.start())
    while allocating.exists(_.isAlive) do
      allocating.head.interrupt()
      Thread.onSpinWait()
    val e = failure.get
    if e == null then println("all good") else throw e
  end main
end Interrupted

/** Repeatedly requests more address space than is available. */
object Unmapped:
  private val Piece = 128.MiB

  private def refused(body: => Unit): Boolean =
    try
      body
      false
    catch case e: MemoryLimitException => e.budget.contains("Map failed")

  def main(args: Array[String]): Unit =
    var reservations = List.empty[Reservation]
    for bytes <- Seq(1.GiB, Piece) do
      while !refused { reservations ::= Reservation(bytes) } do ()
    // Eight leaks would use up the range. The JDK waits for its collector in each refusal.
    for _ <- 1 to 9 do
      assert(refused(Reservation(Cage.space.range / 8): Unit), "refused for the same reason")
    val region = Region.shared("unmapped")
    val small = region.allocate(100, 8)
    val budget = NamedBudgets.unlimited("unmapped").nn
    val before = (budget.liveBytes, Malloc.budget.liveBytes)
    val block = region.allocateBlock(100, 8)
    for _ <- 1 to 2 do
      assert(refused(region.allocate(Piece, 8): Unit))
      assert(refused(Malloc.allocate(Piece, 8): Unit))
      assert((budget.liveBytes, Malloc.budget.liveBytes) == before)
    assert(region.allocateBlock(100, 8).offset - block.offset < 200, "it goes on where it was")
    reservations.foreach(_.close())
    region.allocate(Piece, 8).fill(1): Unit
    Malloc.free(Malloc.allocate(Piece, 8).fill(1))
    small.fill(1): Unit
    println("all good")
  end main
end Unmapped

/** Repeatedly requests address space whose page table is larger than the file system. */
object Vast:
  def main(args: Array[String]): Unit =
    for _ <- 1 to 10 do
      val error =
        try
          Reservation(256.GiB).close()
          "none"
        catch case e: MemoryLimitException => e.budget
      assert(error.startsWith("the file system of"), error)
    Region.scoped(Region.allocate(8.MiB).fill(1)): Unit
    println("all good")
