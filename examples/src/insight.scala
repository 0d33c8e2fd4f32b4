import java.lang.management.ManagementFactory
import javax.management.ObjectName
import undercroft.memory.*

@main def insight(): Unit =
  Ledger.recordLeaks(true) // from now on; it costs microseconds an allocation
  val forgotten = Region.shared("forgotten")
  forgotten.allocate(1.MiB, 8)
  for leak <- Ledger.leaks() do
    println(s"${leak.owner} holds ${leak.bytes} bytes")
    println(leak.site.head) // the line that allocated it

  Ledger.registerMXBean() // for jconsole and every other JMX client
  val ledger = ObjectName("dev.undercroft:type=Ledger")
  val live = ManagementFactory.getPlatformMBeanServer.getAttribute(ledger, "LiveBytes")

  println(live == Ledger.report().liveBytes)
  forgotten.close()
  println(Ledger.leaks().size)
  Ledger.recordLeaks(false)

// prints:
// region "forgotten" holds 1048576 bytes
// insight$package$.insight(insight.scala:7)
// true
// 0
