package undercroft.struct
package internal.bytes

/** Storage of rows outside Undercroft's memory: a file that other processes can change. */
private[undercroft] trait Backing:

  /** The name of the storage, for error messages. */
  def name: String

  /** Throws if some rows are no longer present; values read from them before are then invalid. */
  def check(): Unit

  /** The error to throw for an access that failed with `error`. */
  def translate(error: Throwable): Throwable
end Backing

/** Marks a table type whose rows have a [[Backing]], so that its loops are generated for files. */
private[undercroft] trait FileBacked
