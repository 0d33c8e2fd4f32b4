import undercroft.memory.*
import undercroft.struct.*

case class Packet(version: Byte, @bigEndian @offset(8) length: Int, @bigEndian checksum: Int)
    derives Struct

@align(64) case class Hits(reads: Long, @align(64) writes: Long) derives Struct // a cache line each

@main def wire(): Unit =
  println(Struct[Packet].layout.show)
  println(Struct[Packet].packedLayout.diff(Struct[Packet].layout))
  Region.scoped:
    val packets = Rows[Packet](1)
    packets(0) = Packet(4, 1, 2)
    println(packets.segment.asByteBuffer.getInt(8)) // in network byte order
    println(packets.ref(0).length)
    println(Struct[Hits].size)
    println(Ref.address(Rows[Hits](10).ref(1)).offset % 64)

// prints:
// Packet: 16 bytes, aligned to 4
//        0    1  version              Byte
//        1    7  (padding)
//        8    4  length               Int, big-endian
//       12    4  checksum             Int, big-endian
// - Packet: 9 bytes, aligned to 1
// -        1    4  length               Int, big-endian
// -        5    4  checksum             Int, big-endian
// + Packet: 16 bytes, aligned to 4
// +        1    7  (padding)
// +        8    4  length               Int, big-endian
// +       12    4  checksum             Int, big-endian
// 1
// 1
// 128
// 0
