import java.lang.foreign.{FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import org.apache.thrift.{TException, TFieldIdEnum, TSerializable}
import org.apache.thrift.protocol.*
import undercroft.buffer.*
import undercroft.thrift.*

/** The code that Thrift's compiler generates for `struct Fare { 1: string name, 2: i64 price }`. */
final case class Fare(var name: String = "", var price: Long = 0) extends TSerializable:
  def write(to: TProtocol): Unit =
    to.writeStructBegin(TStruct("Fare"))
    to.writeFieldBegin(TField("name", TType.STRING, 1))
    to.writeString(name)
    to.writeFieldBegin(TField("price", TType.I64, 2))
    to.writeI64(price)
    to.writeFieldStop()
    to.writeStructEnd()

  def read(from: TProtocol): Unit =
    from.readStructBegin()
    var field = from.readFieldBegin()
    while field.`type` != TType.STOP do
      field.id match
        case 1 => name = from.readString()
        case 2 => price = from.readI64()
        case _ => from.skip(field.`type`)
      field = from.readFieldBegin()
    from.readStructEnd()
end Fare

/** The constants that Thrift's compiler generates as `Fare._Fields`. */
enum FareField(number: Int) extends TFieldIdEnum:
  case Name extends FareField(1)
  case Price extends FareField(2)
  def getThriftFieldId: Short = number.toShort
  def getFieldName: String = toString

/** A copy of the bytes in native memory, and the function that frees it. */
def copiedByC(pointer: MemorySegment, bytes: Long): (MemorySegment, MemorySegment => Unit) =
  val linker = Linker.nativeLinker
  def function(name: String, descriptor: FunctionDescriptor) =
    linker.downcallHandle(linker.defaultLookup.findOrThrow(name), descriptor)
  val (address, size) = (ValueLayout.ADDRESS, ValueLayout.JAVA_LONG)
  val malloc = function("malloc", FunctionDescriptor.of(address, size))
  val memcpy = function("memcpy", FunctionDescriptor.of(address, address, address, size))
  val free = function("free", FunctionDescriptor.ofVoid(address))
  val copy = malloc.invokeWithArguments(bytes).asInstanceOf[MemorySegment]
  memcpy.invokeWithArguments(copy, pointer, bytes)
  (copy, address => free.invokeWithArguments(address))

@main def thriftMessages(): Unit =
  val fare = Fare("UND", 251)
  val serializer = ThriftSerializer() // was TSerializer(); keeps its memory from call to call
  val deserializer = ThriftDeserializer() // was TDeserializer()
  val out = serializer.serialize(fare) // was an array; a ByteOutput until the next call
  println(deserializer.deserialize(Fare(), out.segment)) // was the other way round
  println(out.toByteArray().length) // if an array is needed
  println(deserializer.field[Long](out.segment, FareField.Price)) // one field, the others skipped

  def handOver(pointer: MemorySegment, bytes: Long) = println(s"$bytes bytes for native code")
  handOver(out.segment, out.size) // all bytes, in place

  val (address, free) = copiedByC(out.segment, out.size)
  val size = out.size // a call answers a pointer to no bytes; only you know how many there are
  val bytes = NativeBytes(address.reinterpret(size), size)(free)
  try println(deserializer.deserialize(Fare(), bytes.segment)) // read in place
  finally bytes.close() // calls free, once

  val buffer = Buffer()
  serializer.serialize(fare, buffer) // to the end of a buffer
  println(deserializer.deserialize(Fare(), buffer)) // its segments go home as they are read
  serializer.close() // frees the memory

  try deserializer.deserialize(Fare(), "no fare".getBytes)
  catch case error: TException => println(error.getMessage)

  val strict = ThriftLimits(messageBytes = 1 << 20, elements = 1000, depth = 8)
  val compact = ThriftDeserializer(ThriftFormat.Compact, framed = true, strict)
  try compact.deserialize(Fare(), Array[Byte](0, 1, 0, 0, 0))
  catch case error: TException => println(error.getMessage)

  val transport = TBufferTransport(buffer, framed = true) // for clients, servers and protocols
  val protocol = CompactProtocol(transport) // or libthrift's own
  fare.write(protocol)
  transport.flush()
  println(buffer.size)
end thriftMessages

// prints:
// Fare(UND,251)
// 22
// Some(251)
// 22 bytes for native code
// Fare(UND,251)
// Fare(UND,251)
// a field has the unknown type 110 at position 1
// expected a frame of 65536 bytes, but only 1 remain at position 0
// 13
