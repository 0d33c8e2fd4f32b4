import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.Files
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.buffer.*
import undercroft.file.*
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
  try println(orders(1000).id) // a record past the block
  catch case error: IndexOutOfBoundsException => println(error.getMessage)
  val trades = 50_000_000
  try println(Rows[Order2](trades * 60).size) // a product of Ints that overflows
  catch case error: IllegalArgumentException => println(error.getMessage)

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

case class Vertex(x: Int, y: Int) derives Struct // @data class Vertex(x: Int, var y: Int)

case class Edge(start: Vertex, end: Vertex, next: Ref[Edge]) // @embed start, @embed end, next
    derives Struct

enum Figure derives Struct, CanEqual: // @variant class Figure
  case Dot(at: Vertex)
  case Circle(center: Vertex, radius: Float)

def fromScalaOffheap(): Unit =
  Region.scoped: // Region { implicit r => ... }
    val vertex = Ref(Vertex(10, 20)) // Vertex(10, 20), with the implicit allocator
    vertex.y = 21 // the setter of a var
    println(vertex() == Vertex(10, 21)) // by content, not by address
    val first = Ref(Edge(vertex(), Vertex(30, 40), Ref.none)) // Edge.empty
    val second = Ref(Edge(first.end(), Vertex(50, 60), first))
    println((second.next.start.x, Ref.isNone(first.next)))
    val vertices = Rows.tabulate[Vertex](4)(i => Vertex(i.toInt, 1)) // EmbedArray
    println(vertices.filter(_.x > 1).sumOf(_.y))
    val figures = Rows.from[Figure](List(Figure.Dot(vertices(3)), Figure.Circle(vertex(), 2.5f)))
    println(figures.sumOf { // the match reads the memory
      case Figure.Dot(at)           => at.x.toDouble
      case Figure.Circle(_, radius) => radius.toDouble
    })
  given Allocator = Malloc // the object `malloc`
  val single = Ref(Vertex(1, 2))
  Malloc.free(Ref.address(single))
  try println(single.x)
  catch case error: StaleReferenceException => println("freed") // not a read of foreign bytes
end fromScalaOffheap

case class Wallet(owner: Text[20], dollars: Long, cents: Int) derives Struct

def fromChronicleValues()(using Region): Unit =
  val wallets = Rows[Wallet](1000) // a flyweight moves over these in Chronicle
  wallets(7) = Wallet(Text("Ada"), 250, 0)
  val wallet = wallets.ref(7) // Values.newNativeReference and bytesStore
  wallet.cents = 50 // setCents
  println(wallet.atomic(_.dollars).getAndAdd(10)) // addAtomicDollars, which returns the sum
  println(wallet.atomic(_.dollars).compareAndSet(260, 300)) // compareAndSwapDollars
  println(wallet.owner.startsWith("A")) // getUsingOwner: here the bytes are compared in place
  println(Struct[Wallet].size)

case class Fill(order: Long, price: Int, amount: Int) derives Struct

def fromChronicleQueue(): Unit =
  val path = Files.createTempDirectory("fills").resolve("2026-11-23.struct") // a file for a cycle
  val appender = Rows.create[Fill](path) // one writer
  appender += Fill(1, 250, 10)
  appender.commit() // a durability boundary; readers see the row
  val tailer = Rows.openReadOnly[Fill](path) // any number of readers, also of other processes
  var index = 0L
  def poll(): Unit =
    val end = tailer.refresh() // the number of committed rows
    while index < end do
      println((index, tailer(index).price))
      index += 1
  poll()
  appender += Fill(2, 251, 20)
  poll() // not committed yet
  appender.commit()
  poll()
  tailer.close()
  appender.close()

def fromChronicleMap()(using Region): Unit =
  val codes = StructMap[Text[20], Vertex](expected = 50_000) // entries; it grows beyond that
  codes(Text("Amsterdam")) = Vertex(1011, 1109) // put
  codes.updateOrElse(Text("Amsterdam"), Vertex(0, 0))(range => range.copy(y = 1110)) // compute
  println(codes.getOrElse(Text("Amsterdam"), Vertex(0, 0))) // getUsing
  println((codes.contains(Text("Prague")), codes.size))

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
    fromChronicleValues()
    fromChronicleMap()
  fromChronicleQueue()
  fromScalaOffheap()
  fromForeign()
  fromOkio()
  fromNetty()
  fromPekko()
  fromErlang()

// prints:
// (250,true,42)
// Index 1000 out of bounds for length 1000
// size must be at least 0, but is -1294967296
// 7520
// 251
// (250,-1)
// 12
// 250
// true
// true
// 40
// Vertex(1011,1110)
// (false,1)
// (0,250)
// (1,251)
// true
// (10,true)
// 2
// 5.5
// freed
// 160
// 64
// (price 250,10,ba7816bf)
// (5,hello,9)
// 7
// 7
