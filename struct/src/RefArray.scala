package undercroft.struct

import undercroft.memory.Address

/** An array of references on the heap, 8 bytes each; an `Array` would box every reference. Elements
  * are [[Ref.none]] until they are set. As thread-safe as an array.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows[Trade](10)
  *   val refs = RefArray[Trade](2)
  *   refs(0) = trades.ref(7)
  *   println(refs(0).price)
  * }}}
  */
opaque type RefArray[T] = Array[Long]

object RefArray:
  /** An array of `size` null references.
    *
    * {{{
    * val refs = RefArray[Bill](10)
    * println(Ref.isNone(refs(0))) // true
    * }}}
    */
  def apply[T](size: Int): RefArray[T] = new Array[Long](size)

  extension [T](refs: RefArray[T])
    def length: Int = refs.length
    def apply(index: Int): Ref[T] = Ref.at(Address.ofBits(refs(index)))

    /** Stores a reference.
      *
      * {{{
      * val refs = RefArray[Bill](10)
      * refs(3) = Ref(Bill(1, 250))
      * println(refs(3).price) // 250
      * }}}
      */
    def update(index: Int, ref: Ref[T]): Unit = refs(index) = Ref.address(ref).bits
end RefArray
