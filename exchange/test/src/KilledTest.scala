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
    Exchange.startJar(out, err)(
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

  test("a storage whose JVM is killed is reported as a row"):
    val out = Files.createTempFile("exchange", ".json").nn
    val exchange = start(out)
    try
      child(exchange).destroyForcibly()
      ends(exchange.toHandle)
      val row = ujson.read(Files.readString(out))("storages")(0)
      assertEquals(row("outcome").str, "killed, as a system does that has run out of memory")
      assertEquals(exchange.exitValue, 1)
    finally exchange.destroyForcibly(): Unit

  test("killing an exchange ends the JVMs of its storages"):
    val exchange = start(Files.createTempFile("exchange", ".json").nn)
    val storage = child(exchange)
    exchange.destroyForcibly()
    ends(storage)

  test("interrupting an exchange ends the JVMs of its storages"):
    val exchange = start(Files.createTempFile("exchange", ".json").nn)
    val storage = child(exchange)
    exchange.destroy()
    ends(storage)
end KilledTest
