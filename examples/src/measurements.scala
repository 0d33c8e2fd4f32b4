import undercroft.memory.*
import undercroft.struct.*

case class Measurement(kind: Byte, value: Union[(whole: Int, real: Double)]) derives Struct

@main def measurements(): Unit =
  Region.scoped:
    val measurements = Rows.growing[Measurement]
    measurements += Measurement(1, Union(whole = 7))
    measurements += Measurement(2, Union(real = 36.6))
    println(measurements.ref(1).value.real)
    measurements.ref(0).value.whole = 8 // four bytes
    println(measurements.filter(_.kind == 1).sumOf(_.value.whole))
    println(Struct[Measurement].layout.show)

// prints:
// 36.6
// 8
// Measurement: 16 bytes, aligned to 8
//        0    1  kind                 Byte
//        1    7  (padding)
//        8    4  value.whole          Int
//        8    8  value.real           Double
