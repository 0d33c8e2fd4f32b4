package undercroft.cli

import internal.io.Console

/** A parsed command line. */
private[cli] trait Command:
  /** Runs it and returns the exit code. */
  def run(console: Console): Int
