package undercroft.memory

/** A checked 64-bit reference to memory in the cage: 44 bits of offset, 20 bits of page generation. */
opaque type Address = Long

object Address:
  /** The address of nothing. */
  val Null: Address = 0L

  private[undercroft] inline def ofBits(bits: Long): Address = bits

  extension (address: Address)
    private[undercroft] inline def bits: Long = address
    def isNull: Boolean = address == 0L
end Address
