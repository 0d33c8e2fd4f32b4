package undercroft.exchange

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import scala.jdk.OptionConverters.*

/** Kills: a killed storage is a row of the table, and a killed exchange leaves no process behind.
  */
class KilledTest extends undercroft.tools.Suite:

  /** Seconds for a JVM to start or to end on a busy machine. */
  private val Patience = 60

  private def start(out: Path): Process =
    val err = Files.createTempFile("exchange", ".err").nn
    Exchange.startJar(out, err, Seq.empty)(
      Seq("--trades", "100000000", "--storage", "unsafe", "--heap", "64m", "--jvm", "-Xint") ++
        Seq("--json", "-")*
    )

  /** The JVM of the storage, once it is there: before it, its place is held by a copy of the
    * exchange, with its arguments, and by the JDK's helper that becomes it.
    */
  private def child(exchange: Process): ProcessHandle =
    def arguments(process: ProcessHandle) = process.info.arguments.toScala.map(_.toSeq)
    val copied = arguments(exchange.toHandle)
    def isJava(process: ProcessHandle) =
      process.info.command.toScala.exists(command => Path.of(command).endsWith("java")) &&
        arguments(process) != copied
    Iterator
      .continually(exchange.descendants.filter(isJava).findFirst.toScala)
      .take(Patience * 100)
      .tapEach(child => if child.isEmpty then exchange.waitFor(10, TimeUnit.MILLISECONDS): Unit)
      .flatten
      .next()

  private def ends(process: ProcessHandle): Unit =
    process.onExit.get(Patience.toLong, TimeUnit.SECONDS): Unit

  test("a storage whose JVM is killed is reported as a row".tag(LongTest)):
    val out = Files.createTempFile("exchange", ".json").nn
    val exchange = start(out)
    try
      child(exchange).destroyForcibly()
      assert(exchange.waitFor(Patience.toLong, TimeUnit.SECONDS), "the exchange runs")
      val row = ujson.read(Files.readString(out))("storages")(0)
      assertEquals(row("outcome").str, "killed, as a system does that has run out of memory")
      assertEquals(exchange.exitValue, 1)
    finally exchange.destroyForcibly(): Unit

  test("killing an exchange ends the JVMs of its storages".tag(LongTest)):
    val exchange = start(Files.createTempFile("exchange", ".json").nn)
    val storage = child(exchange)
    exchange.destroyForcibly()
    ends(storage)

  test("interrupting an exchange ends the JVMs of its storages"):
    val exchange = start(Files.createTempFile("exchange", ".json").nn)
    val storage = child(exchange)
    exchange.destroy()
    ends(storage)

  /** An exchange whose storage list-buffer runs out of memory and then waits for its own end. */
  private def waiting(storages: String, folder: Path): Process =
    Exchange.startJar(folder.resolve("err").nn)(
      Seq("--trades", "1000000", "--storage", storages, "--heap", "24m") ++
        Seq("--jvm", "-XX:OnOutOfMemoryError=cat", "--json", folder.resolve("day.json").toString) ++
        Seq("--report", folder.resolve("day.html").toString)*
    )

  /** Reads the output of an exchange up to a line that begins so, and then the names that begin the
    * next row, which is measured meanwhile.
    */
  private def await(exchange: Process, line: String): Unit =
    val out = exchange.inputReader(java.nio.charset.StandardCharsets.UTF_8).nn
    val lines = Iterator.continually(out.readLine()).takeWhile(_ != null)
    assert(lines.exists(_.nn.startsWith(line)), s"no line of $line")
    val next = Array.ofDim[Char]("list-buffer".length)
    for at <- next.indices do assertEquals(out.read(next, at, 1), 1)
    assertEquals(String(next), "list-buffer")

  private def interrupt(process: Process): Unit =
    val kill = ProcessBuilder("/bin/sh", "-c", s"kill -INT ${process.pid}").inheritIO().nn.start()
    assertEquals(kill.nn.waitFor(), 0)

  /** Jobs in the background of a shell without job control ignore SIGINT, and so do their children.
    */
  private def isInterruptible: Boolean =
    val ignored = Files.readString(Path.of("/proc/self/status")).nn.linesIterator
      .collectFirst { case s"SigIgn:$mask" => java.lang.Long.parseUnsignedLong(mask.strip, 16) }
    ignored.forall(mask => (mask & 2) == 0)

  /** Exit codes of a JVM that ends by a signal. */
  private val signals = Seq[(String, Int, Process => Unit)](
    ("SIGINT", 130, interrupt),
    ("SIGTERM", 143, _.toHandle.destroy(): Unit)
  )

  for (name, code, send) <- signals do
    test(s"$name keeps the rows that were measured, in the table, the page and JSON"):
      assume(name != "SIGINT" || isInterruptible, "skipped: SIGINT is ignored by this JVM")
      val folder = Files.createTempDirectory("exchange").nn
      val exchange = waiting("int-array,list-buffer,rows", folder)
      try
        await(exchange, "int-array")
        send(exchange)
        val rest = exchange.inputReader().nn.lines.nn.toList.toString
        assert(exchange.waitFor(Patience.toLong, TimeUnit.SECONDS), "the exchange runs")
        assertEquals(exchange.exitValue, code, Files.readString(folder.resolve("err")))
        assert(clue(rest).contains("Interrupted: 1 of 3 storages were measured."))
        assert(rest.contains("The day's balance is -499 999 500 000."), rest)
        val day = ujson.read(Files.readString(folder.resolve("day.json")))
        assertEquals(day("interrupted"), ujson.True)
        assertEquals(day("storages").arr.map(_("storage").str).toSeq, Seq("int-array"))
        val page = Files.readString(folder.resolve("day.html")).nn
        assert(page.contains("<td>int-array</td>") && page.endsWith("</html>\n"), page)
        assert(page.contains("Interrupted: 1 of 3 storages were measured."), page)
        assertEquals(names(folder), Set("err", "day.json", "day.html"))
      finally exchange.destroyForcibly(): Unit
  end for

  test("an exchange that is interrupted before its first row writes no files"):
    val folder = Files.createTempDirectory("exchange").nn
    val exchange = waiting("list-buffer,rows", folder)
    try
      await(exchange, "-----")
      // Unlike destroy of the process, this leaves its output open.
      exchange.toHandle.destroy()
      val rest = exchange.inputReader().nn.lines.nn.toList.toString
      assert(exchange.waitFor(Patience.toLong, TimeUnit.SECONDS), "the exchange runs")
      assert(clue(rest).contains("No storage was measured."))
      assertEquals(names(folder), Set("err"))
    finally exchange.destroyForcibly(): Unit

  private def names(folder: Path): Set[String] =
    folder.toFile.nn.list.nn.map(_.nn).toSet
end KilledTest
