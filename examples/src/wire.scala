import undercroft.memory.*
import undercroft.struct.*

object Numbers:
  /** An Int in the network's byte order, which is not the machine's. */
  opaque type Network = Int
  object Network:
    def apply(value: Int): Network = value
    extension (number: Network) def value: Int = number
    given Struct.As[Network, Int] =
      Struct.as[Network, Int](Integer.reverseBytes)(Integer.reverseBytes)

import Numbers.Network

case class Packet(version: Byte, @offset(8) length: Network, checksum: Network) derives Struct

@align(64) case class Hits(reads: Long, writes: Long) derives Struct // no two in one cache line

@main def wire(): Unit =
  println(Struct[Packet].layout.show)
  println(Struct[Packet].packedLayout.diff(Struct[Packet].layout))
  Region.scoped:
    val packets = Rows[Packet](1)
    packets(0) = Packet(4, Network(1), Network(2))
    println(packets.segment.asByteBuffer.getInt(8)) // as the network reads it
    println(packets.ref(0)(_.length.value))
    println(Rows[Hits](10).ref(1).reads)

// prints:
// Packet: 16 bytes, aligned to 4
//        0    1  version              Byte
//        1    7  (padding)
//        8    4  length               Int
//       12    4  checksum             Int
// - Packet: 9 bytes, aligned to 1
// -        1    4  length               Int
// -        5    4  checksum             Int
// + Packet: 16 bytes, aligned to 4
// +        1    7  (padding)
// +        8    4  length               Int
// +       12    4  checksum             Int
// 1
// 1
// 0
