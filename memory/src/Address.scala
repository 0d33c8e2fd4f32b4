package undercroft.memory

/** A checked 64-bit reference to memory in the cage. Any thread may use and copy it.
  *
  * {{{
  *   63                                         20 19           0
  *  +--------------------------------------------+--------------+
  *  |  offset in the cage, in bytes              |  generation  |
  *  +--------------------------------------------+--------------+
  * }}}
  *
  * An access through an address whose memory was given back is a [[StaleReferenceException]]. A
  * store that races with the close of its own region is the one thing that is detected late.
  */
opaque type Address = Long

object Address:
  /** The address of nothing. */
  val Null: Address = 0L

  given CanEqual[Address, Address] = CanEqual.derived

  private[undercroft] inline def ofBits(bits: Long): Address = bits

  extension (address: Address)
    private[undercroft] inline def bits: Long = address

    /** Whether this is the address of nothing. */
    def isNull: Boolean = address == 0L

    /** Where the memory lies in the cage, in bytes from its beginning. */
    def offset: Long = Cage.offsetOf(address)

    /** Which life of its page the address belongs to. */
    def generation: Int = Cage.generationOf(address)
end Address
