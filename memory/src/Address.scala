package undercroft.memory

import internal.cage.Cage

/** A checked 64-bit reference to memory in the cage. Thread-safe; may be copied.
  *
  * ```text
  *   63                                         20 19           0
  *  +--------------------------------------------+--------------+
  *  |  offset in the cage, in bytes              |  generation  |
  *  +--------------------------------------------+--------------+
  * ```
  *
  * An access through an address whose memory was freed throws a [[StaleReferenceException]]. Only a
  * store that races with the close of its own region is detected late.
  *
  * {{{
  * val address = Malloc.allocateBlock(64, 8)
  * println(address == Address.Null) // false
  * println(address.offset % 8) // 0
  * Malloc.free(address)
  * }}}
  */
opaque type Address = Long

object Address:
  /** The null address.
    *
    * {{{
    * println(Address.Null.isNull) // true
    * }}}
    */
  val Null: Address = 0L

  given CanEqual[Address, Address] = CanEqual.derived

  private[undercroft] inline def ofBits(bits: Long): Address = bits

  extension (address: Address)
    private[undercroft] inline def bits: Long = address

    /** Whether this is the null address. */
    def isNull: Boolean = address == 0L

    /** Offset of the memory in the cage, in bytes. */
    def offset: Long = Cage.offsetOf(address)

    /** The generation of its page, or slot, that the address belongs to.
      *
      * {{{
      * val first = Malloc.allocateBlock(64, 8)
      * Malloc.free(first)
      * val second = Malloc.allocateBlock(64, 8)
      * println(first == second) // false
      * Malloc.free(second)
      * }}}
      */
    def generation: Int = Cage.generationOf(address)
  end extension
end Address
