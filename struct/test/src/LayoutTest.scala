package undercroft.struct

class LayoutTest extends undercroft.tools.Suite:
  test("a struct has the size of its C layout"):
    assertEquals(Struct[Trade].size, 16)
    assertEquals(Struct[Trade].packedSize, 13)
    assertEquals(Struct[Line].size, 48)
    assertEquals(Struct[Line].layout.byteSize, 48L)

  test("the show method of a layout lists members and padding"):
    assertEquals(
      Struct[Line].layout.show,
      """Line: 48 bytes, aligned to 8
        |       0    1  open                 Boolean
        |       1    7  (padding)
        |       8    2  from.x               Short
        |      10    6  (padding)
        |      16    8  from.y               Double
        |      24    2  to.x                 Short
        |      26    6  (padding)
        |      32    8  to.y                 Double
        |      40    1  width                Byte
        |      41    7  (padding)""".stripMargin
    )
end LayoutTest
