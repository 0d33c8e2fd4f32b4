package undercroft.struct

import java.util.Arrays
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

// format: off
/** The most fields of a class with methods of its own; Int fields, so that it has no padding. */
case class Wide250(
  f0: Int, f1: Int, f2: Int, f3: Int, f4: Int, f5: Int, f6: Int, f7: Int, f8: Int, f9: Int,
  f10: Int, f11: Int, f12: Int, f13: Int, f14: Int, f15: Int, f16: Int, f17: Int, f18: Int,
  f19: Int, f20: Int, f21: Int, f22: Int, f23: Int, f24: Int, f25: Int, f26: Int, f27: Int,
  f28: Int, f29: Int, f30: Int, f31: Int, f32: Int, f33: Int, f34: Int, f35: Int, f36: Int,
  f37: Int, f38: Int, f39: Int, f40: Int, f41: Int, f42: Int, f43: Int, f44: Int, f45: Int,
  f46: Int, f47: Int, f48: Int, f49: Int, f50: Int, f51: Int, f52: Int, f53: Int, f54: Int,
  f55: Int, f56: Int, f57: Int, f58: Int, f59: Int, f60: Int, f61: Int, f62: Int, f63: Int,
  f64: Int, f65: Int, f66: Int, f67: Int, f68: Int, f69: Int, f70: Int, f71: Int, f72: Int,
  f73: Int, f74: Int, f75: Int, f76: Int, f77: Int, f78: Int, f79: Int, f80: Int, f81: Int,
  f82: Int, f83: Int, f84: Int, f85: Int, f86: Int, f87: Int, f88: Int, f89: Int, f90: Int,
  f91: Int, f92: Int, f93: Int, f94: Int, f95: Int, f96: Int, f97: Int, f98: Int, f99: Int,
  f100: Int, f101: Int, f102: Int, f103: Int, f104: Int, f105: Int, f106: Int, f107: Int,
  f108: Int, f109: Int, f110: Int, f111: Int, f112: Int, f113: Int, f114: Int, f115: Int,
  f116: Int, f117: Int, f118: Int, f119: Int, f120: Int, f121: Int, f122: Int, f123: Int,
  f124: Int, f125: Int, f126: Int, f127: Int, f128: Int, f129: Int, f130: Int, f131: Int,
  f132: Int, f133: Int, f134: Int, f135: Int, f136: Int, f137: Int, f138: Int, f139: Int,
  f140: Int, f141: Int, f142: Int, f143: Int, f144: Int, f145: Int, f146: Int, f147: Int,
  f148: Int, f149: Int, f150: Int, f151: Int, f152: Int, f153: Int, f154: Int, f155: Int,
  f156: Int, f157: Int, f158: Int, f159: Int, f160: Int, f161: Int, f162: Int, f163: Int,
  f164: Int, f165: Int, f166: Int, f167: Int, f168: Int, f169: Int, f170: Int, f171: Int,
  f172: Int, f173: Int, f174: Int, f175: Int, f176: Int, f177: Int, f178: Int, f179: Int,
  f180: Int, f181: Int, f182: Int, f183: Int, f184: Int, f185: Int, f186: Int, f187: Int,
  f188: Int, f189: Int, f190: Int, f191: Int, f192: Int, f193: Int, f194: Int, f195: Int,
  f196: Int, f197: Int, f198: Int, f199: Int, f200: Int, f201: Int, f202: Int, f203: Int,
  f204: Int, f205: Int, f206: Int, f207: Int, f208: Int, f209: Int, f210: Int, f211: Int,
  f212: Int, f213: Int, f214: Int, f215: Int, f216: Int, f217: Int, f218: Int, f219: Int,
  f220: Int, f221: Int, f222: Int, f223: Int, f224: Int, f225: Int, f226: Int, f227: Int,
  f228: Int, f229: Int, f230: Int, f231: Int, f232: Int, f233: Int, f234: Int, f235: Int,
  f236: Int, f237: Int, f238: Int, f239: Int, f240: Int, f241: Int, f242: Int, f243: Int,
  f244: Int, f245: Int, f246: Int, f247: Int, f248: Int, f249: Int
) derives Struct, CanEqual:
  def sum: Int =
    (f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9) +
    (f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18 + f19) +
    (f20 + f21 + f22 + f23 + f24 + f25 + f26 + f27 + f28 + f29) +
    (f30 + f31 + f32 + f33 + f34 + f35 + f36 + f37 + f38 + f39) +
    (f40 + f41 + f42 + f43 + f44 + f45 + f46 + f47 + f48 + f49) +
    (f50 + f51 + f52 + f53 + f54 + f55 + f56 + f57 + f58 + f59) +
    (f60 + f61 + f62 + f63 + f64 + f65 + f66 + f67 + f68 + f69) +
    (f70 + f71 + f72 + f73 + f74 + f75 + f76 + f77 + f78 + f79) +
    (f80 + f81 + f82 + f83 + f84 + f85 + f86 + f87 + f88 + f89) +
    (f90 + f91 + f92 + f93 + f94 + f95 + f96 + f97 + f98 + f99) +
    (f100 + f101 + f102 + f103 + f104 + f105 + f106 + f107 + f108 + f109) +
    (f110 + f111 + f112 + f113 + f114 + f115 + f116 + f117 + f118 + f119) +
    (f120 + f121 + f122 + f123 + f124 + f125 + f126 + f127 + f128 + f129) +
    (f130 + f131 + f132 + f133 + f134 + f135 + f136 + f137 + f138 + f139) +
    (f140 + f141 + f142 + f143 + f144 + f145 + f146 + f147 + f148 + f149) +
    (f150 + f151 + f152 + f153 + f154 + f155 + f156 + f157 + f158 + f159) +
    (f160 + f161 + f162 + f163 + f164 + f165 + f166 + f167 + f168 + f169) +
    (f170 + f171 + f172 + f173 + f174 + f175 + f176 + f177 + f178 + f179) +
    (f180 + f181 + f182 + f183 + f184 + f185 + f186 + f187 + f188 + f189) +
    (f190 + f191 + f192 + f193 + f194 + f195 + f196 + f197 + f198 + f199) +
    (f200 + f201 + f202 + f203 + f204 + f205 + f206 + f207 + f208 + f209) +
    (f210 + f211 + f212 + f213 + f214 + f215 + f216 + f217 + f218 + f219) +
    (f220 + f221 + f222 + f223 + f224 + f225 + f226 + f227 + f228 + f229) +
    (f230 + f231 + f232 + f233 + f234 + f235 + f236 + f237 + f238 + f239) +
    (f240 + f241 + f242 + f243 + f244 + f245 + f246 + f247 + f248 + f249)
end Wide250
// format: on

/** Two fields, one of them a Float, so that equality is not equality of the values. */
case class Measure2(a: Float, b: Double) derives Struct, CanEqual

class WidestTest extends undercroft.tools.PropertySuite:

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(20)

  private val sizes = Gen.listOfN(250, Gen.oneOf(Int.MinValue, -1, 0, 1, 7, Int.MaxValue))
  private val changes = Gen.option(Gen.zip(Gen.choose(0, 249), Gen.oneOf(-5, 0, 1, 99)))

  /** A table whose row `i` has the numbers of `all(i)` in its fields. */
  private def rowsOf(all: List[Int]*)(using Region): Rows[Wide250] =
    val rows = Rows[Wide250](all.size)
    for (numbers, i) <- all.zipWithIndex; (number, k) <- numbers.zipWithIndex do
      rows.segment.setAtIndex(java.lang.foreign.ValueLayout.JAVA_INT, i * 250L + k, number)
    rows

  test("a struct of 250 fields has the right size, and a reference accesses its last field"):
    assertEquals(Struct[Wide250].size, 1000)
    assertEquals(Struct[Wide250].packedSize, 1000)
    assertEquals(Struct[Wide250].leaves.size, 250)
    Region.scoped:
      val rows = Rows[Wide250](2)
      rows.ref(1).f249 = 7
      rows.ref(1).update(_.f0)(_ + 3)
      assertEquals((rows.ref(1).f249, rows(1).f249, rows(1).f0, rows(0).f249), (7, 7, 3, 0))
      assertAllocates(0) { rows.ref(1).f249 = rows.ref(1).f0 }

  property("rows of 250 fields are copied, compared, hashed, summed and swapped"):
    forAll(sizes, changes): (numbers, change) =>
      val changedNumbers = change.fold(numbers)(numbers.updated(_, _))
      Region.scoped:
        val rows = rowsOf(numbers, changedNumbers, Nil)
        val columns = Columns[Wide250](3)
        columns.setFrom(rows)(row => row)
        val packed = PackedRows.from(rows.toVector)
        Ref.copy(rows.ref(1), rows.ref(2))
        val order = Integer.signum(Arrays.compare(numbers.toArray, changedNumbers.toArray))
        val isSame = numbers == changedNumbers
        assertEquals(rows(0), columns(0))
        assertEquals(rows(0).productIterator.toList, numbers: List[Any])
        assertEquals(rows(1), packed(1))
        assertEquals(rows(2), rows(1))
        assertEquals(rows(0).sum, numbers.sum)
        val changedSum = changedNumbers.sum
        assertEquals(rows.map(_.sum).toVector, Vector(numbers.sum, changedSum, changedSum))
        assertEquals(Ref.contentEquals(rows.ref(0), rows.ref(1)), isSame)
        for table <- List[(Long, Long) => Int](rows.compareAt, columns.compareAt, packed.compareAt)
        do
          assertEquals(Integer.signum(table(0, 1)), order)
        assertEquals(rows.hashAt(1), Ref.hash(rows.ref(2)))
        assertEquals(rows.hashAt(0) == rows.hashAt(1), isSame)
        rows.swap(0, 1)
        assertEquals(rows(0), packed(1))
        assertEquals(rows.ref(1)(), packed(0))
      true

  test("copying, comparing and hashing rows of 250 fields allocates nothing"):
    var sum = 0L
    Region.scoped:
      val rows = rowsOf(List.range(0, 250), List.range(0, 250))
      assertAllocates(0) { Ref.copy(rows.ref(0), rows.ref(1)) }
      assertAllocates(0) { sum += Ref.compare(rows.ref(0), rows.ref(1)) }
      assertAllocates(0) { sum += Ref.hash(rows.ref(0)) }
      assertAllocates(0) { if Ref.contentEquals(rows.ref(0), rows.ref(1)) then sum += 1 }
    assert(sum != 0)

  test("the hash of a wide row depends on the position of each field and on sign bits"):
    Region.scoped:
      val zeros = List.fill(250)(0)
      val sign = Int.MinValue
      val rows = rowsOf(
        zeros,
        zeros.updated(3, 1),
        zeros.updated(4, 1),
        zeros.updated(3, sign),
        zeros.updated(3, sign).updated(4, sign),
        zeros.updated(8, sign).updated(9, sign)
      )
      assertEquals((0L until rows.size).map(rows.hashAt).distinct.size, rows.size.toInt)

  test("structs with floating-point fields are equal by bits, unlike case classes"):
    Region.scoped:
      val rows = Rows.from(
        List(Measure2(0f, 0.0), Measure2(-0f, 0.0), Measure2(Float.NaN, 1), Measure2(Float.NaN, 1))
      )
      assert(rows(0) == rows(1) && !rows.contentEqualsAt(0, 1))
      assert(rows(2) != rows(3) && rows.contentEqualsAt(2, 3))
      assert(rows.compareAt(0, 1) > 0 && rows.compareAt(2, 3) == 0)
end WidestTest
