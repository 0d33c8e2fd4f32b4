package undercroft.lab.bench

import undercroft.struct.*

/** Structs of 8 to 64 Int fields, each with the sum of its fields. */
object WideStructs:

  // format: off
  final case class Wide8(
    f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int
  ) derives Struct:
    def sum: Int =
      f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7
  // format: on

  // format: off
  final case class Wide16(
    f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int, f8: Int, f9: Int,
    f10: Int, f11: Int, f12: Int, f13: Int, f14: Int, f15: Int
  ) derives Struct:
    def sum: Int =
      f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15
  // format: on

  // format: off
  final case class Wide32(
    f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int, f8: Int, f9: Int,
    f10: Int, f11: Int, f12: Int, f13: Int, f14: Int, f15: Int, f16: Int, f17: Int, f18: Int,
    f19: Int, f20: Int, f21: Int, f22: Int, f23: Int, f24: Int, f25: Int, f26: Int, f27: Int,
    f28: Int, f29: Int, f30: Int, f31: Int
  ) derives Struct:
    def sum: Int =
      f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 +
      f17 + f18 + f19 + f20 + f21 + f22 + f23 + f24 + f25 + f26 + f27 + f28 + f29 + f30 + f31
  // format: on

  // format: off
  final case class Wide48(
    f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int, f8: Int, f9: Int,
    f10: Int, f11: Int, f12: Int, f13: Int, f14: Int, f15: Int, f16: Int, f17: Int, f18: Int,
    f19: Int, f20: Int, f21: Int, f22: Int, f23: Int, f24: Int, f25: Int, f26: Int, f27: Int,
    f28: Int, f29: Int, f30: Int, f31: Int, f32: Int, f33: Int, f34: Int, f35: Int, f36: Int,
    f37: Int, f38: Int, f39: Int, f40: Int, f41: Int, f42: Int, f43: Int, f44: Int, f45: Int,
    f46: Int, f47: Int
  ) derives Struct:
    def sum: Int =
      f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 +
      f17 + f18 + f19 + f20 + f21 + f22 + f23 + f24 + f25 + f26 + f27 + f28 + f29 + f30 + f31 +
      f32 + f33 + f34 + f35 + f36 + f37 + f38 + f39 + f40 + f41 + f42 + f43 + f44 + f45 + f46 +
      f47
  // format: on

  // format: off
  final case class Wide64(
    f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int, f8: Int, f9: Int,
    f10: Int, f11: Int, f12: Int, f13: Int, f14: Int, f15: Int, f16: Int, f17: Int, f18: Int,
    f19: Int, f20: Int, f21: Int, f22: Int, f23: Int, f24: Int, f25: Int, f26: Int, f27: Int,
    f28: Int, f29: Int, f30: Int, f31: Int, f32: Int, f33: Int, f34: Int, f35: Int, f36: Int,
    f37: Int, f38: Int, f39: Int, f40: Int, f41: Int, f42: Int, f43: Int, f44: Int, f45: Int,
    f46: Int, f47: Int, f48: Int, f49: Int, f50: Int, f51: Int, f52: Int, f53: Int, f54: Int,
    f55: Int, f56: Int, f57: Int, f58: Int, f59: Int, f60: Int, f61: Int, f62: Int, f63: Int
  ) derives Struct:
    def sum: Int =
      f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 +
      f17 + f18 + f19 + f20 + f21 + f22 + f23 + f24 + f25 + f26 + f27 + f28 + f29 + f30 + f31 +
      f32 + f33 + f34 + f35 + f36 + f37 + f38 + f39 + f40 + f41 + f42 + f43 + f44 + f45 + f46 +
      f47 + f48 + f49 + f50 + f51 + f52 + f53 + f54 + f55 + f56 + f57 + f58 + f59 + f60 + f61 +
      f62 + f63
  // format: on
end WideStructs
