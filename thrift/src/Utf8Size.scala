package undercroft.thrift

/** The size of a string in UTF-8, in bytes; an unpaired surrogate counts as one byte. */
private object Utf8Size:
  def of(text: String): Long =
    var bytes = 0L
    var i = 0
    while i < text.length do
      val c = text.charAt(i)
      if c < 0x80 then bytes += 1
      else if c < 0x800 then bytes += 2
      else if !Character.isSurrogate(c) then bytes += 3
      else if Character.isHighSurrogate(c) && i + 1 < text.length &&
        Character.isLowSurrogate(text.charAt(i + 1))
      then
        bytes += 4
        i += 1
      else bytes += 1
      i += 1
    bytes
