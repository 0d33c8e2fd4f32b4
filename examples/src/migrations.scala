import java.nio.{ByteBuffer, ByteOrder}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.buffer.*
import undercroft.memory.*
import undercroft.struct.*

case class Order2(id: Long, price: Int, amount: Int) derives Struct

def fromUnsafe()(using Region): Unit =
  val orders = Rows[Order2](1000) // allocateMemory and setMemory
  orders.ref(7).price = 250 // putInt
  val price = orders(7).price // getInt
  val swapped = orders.ref(7).atomic(_.id).compareAndSet(0, 42) // compareAndSwapLong
  val copy = Rows[Order2](1000)
  copy.copyFrom(orders) // copyMemory
  println((price, swapped, copy(7).id))

def fromByteBuffer()(using Region): Unit =
  val bytes = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder)
  bytes.putLong(1).putInt(250).putInt(10).putLong(2).putInt(251).putInt(20).flip()
  val orders = Rows.from[Order2](bytes) // two rows of 16 bytes, copied
  println(orders.sumOf(o => o.price.toLong * o.amount))
  println(orders.byteBuffer.getInt(24)) // the same memory, as a ByteBuffer

def fromForeign(): Unit =
  Region.scoped: // Arena.ofConfined
    val orders = Rows.tabulate[Order2](10)(i => Order2(i, 250, 1)) // layout and VarHandles
    println(orders.segment.byteSize) // for code that takes segments
    println(Region.allocate(64).byteSize) // a Region is a SegmentAllocator, too

def fromOkio(): Unit =
  val buffer = Buffer().writeUtf8("price ").writeDecimalLong(250).writeByte('\n')
  val line = buffer.peek().readUtf8Line()
  println((line, buffer.size, ByteString.utf8("abc").sha256.hex.take(8)))

def fromAgrona()(using Region): Unit =
  val prices = StructMap[Long, Long](expected = 1000) // Long2LongHashMap
  prices(7) = 250
  println((prices.getOrElse(7, -1), prices.getOrElse(8, -1))) // a default instead of missingValue
  val out = ByteOutput() // ExpandableDirectByteBuffer
  try
    out.writeIntLe(0).writeLongLe(250)
    out.patchIntLe(0, out.size.toInt)
    println(out.segment.byteSize)
  finally out.close()

def fromNetty(): Unit =
  val (head, body) = (Buffer().writeInt(5), Buffer().writeUtf8("hello"))
  head.write(body, body.size) // a composite: moves segments; there is no release
  val shared = head.copy() // retainedDuplicate: shares segments
  println((head.readInt(), head.readUtf8(), shared.size))

enum Counter derives CanEqual:
  case Add(n: Int)
  case Get(to: ActorRef[Int])
  case Expired

def counter: Behavior[Counter] = Behavior.setup: // Behaviors.setup
  var sum = 0
  context.startSingleTimer("expiry", Counter.Expired, 1.hour) // Behaviors.withTimers
  val behavior = Behavior.receive[Counter]: // Behaviors.receiveMessage
    case Counter.Add(n)  => sum += n; Behavior.same
    case Counter.Get(to) => to ! sum; Behavior.same
    case Counter.Expired => Behavior.stopped
  behavior.supervised { case _: ArithmeticException => Supervision.Restart(limit = 3) }

def fromPekko(): Unit =
  ActorSystem.scoped("counters"):
    val mine = spawn(counter, "mine", mailbox = Mailbox(1000, Overflow.Backpressure))
    mine ! Counter.Add(7)
    println(mine.ask(10.seconds)(Counter.Get(_)))

def fromErlang(): Unit =
  val summing = Behavior.process[Counter]: inbox =>
    val first = inbox.receiveFirst { case Counter.Add(n) => n } // other messages wait
    val second = inbox.receiveFirst { case Counter.Add(n) => n }
    val to = inbox.receiveFirst { case Counter.Get(to) => to }
    to ! first + second
  ActorSystem.scoped("processes"):
    val process = spawn(summing) // a virtual thread of its own
    process ! Counter.Add(3)
    process ! Counter.Expired // is never received
    process ! Counter.Add(4)
    println(process.ask(10.seconds)(Counter.Get(_))) // gen_server:call

@main def migrations(): Unit =
  Region.scoped:
    fromUnsafe()
    fromByteBuffer()
    fromAgrona()
  fromForeign()
  fromOkio()
  fromNetty()
  fromPekko()
  fromErlang()

// prints:
// (250,true,42)
// 7520
// 251
// (250,-1)
// 12
// 160
// 64
// (price 250,10,ba7816bf)
// (5,hello,9)
// 7
// 7
