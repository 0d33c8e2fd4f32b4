package undercroft.struct

/** Where rows are that lie in no memory of Undercroft's: in a file that others can change. */
private[undercroft] trait Backing:

  /** What the rows are in, for error messages. */
  def name: String

  /** Throws where the rows are not all there: then what was read of them is nothing. */
  def check(): Unit

  /** The error to throw for one that an access failed with. */
  def explained(error: Throwable): Throwable
end Backing

/** A table that has a backing by its type, so that the loops over it are made for files. */
private[undercroft] trait Backed
