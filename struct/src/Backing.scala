package undercroft.struct

/** Where rows are that lie in no memory of Undercroft's: in a file that others can change. */
private[undercroft] trait Backing:

  /** What the rows are in, for error messages. */
  def name: String

  /** Throws where the rows are not all there: then what was read of them is nothing. */
  def check(): Unit

  /** The error to throw for one that an access failed with. */
  def explained(error: Throwable): RuntimeException
end Backing
