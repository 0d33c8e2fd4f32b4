package undercroft.actor

/** Run model: the dispatcher that an actor runs on. Chosen at spawn, independent of the behavior.
  *
  * {{{
  * ActorSystem.scoped("runs"):
  *   val shared = spawn(Behavior.ignore[Int]) // on the system's workers
  *   val separate = spawn(Behavior.ignore[Int], run = Run.Virtual)
  *   shared ! 1
  *   separate ! 1
  * }}}
  */
enum Run derives CanEqual:
  /** On the system's workers, which run many actors in turns. Handlers should not block. If a
    * handler blocks inside `scala.concurrent.blocking` or `Await`, another worker takes over the
    * other actors meanwhile; if it blocks undeclared, they wait, and it is reported as
    * [[ActorEvent.Stalled]].
    */
  case Workers

  /** On its own virtual thread. Handlers may block.
    *
    * {{{
    * ActorSystem.scoped("files"):
    *   val reader = spawn(
    *     Behavior.receive[java.nio.file.Path] { file =>
    *       println(java.nio.file.Files.exists(file)) // false
    *       Behavior.same
    *     },
    *     run = Run.Virtual
    *   )
    *   reader ! java.nio.file.Path.of("no such file")
    * }}}
    */
  case Virtual

  /** On its own platform thread. Handlers may block, compute for a long time, or depend on their
    * thread.
    */
  case Thread

  /** On the sender's thread: the message is handled when `!` returns. If the actor is already
    * running, on another thread or further up the stack of this one, that activation handles it
    * next.
    *
    * {{{
    * ActorSystem.scoped("direct"):
    *   var sum = 0
    *   val adder = spawn(
    *     Behavior.receive[Int] { n =>
    *       sum += n
    *       Behavior.same
    *     },
    *     run = Run.Caller
    *   )
    *   adder ! 3
    *   println(sum) // 3
    * }}}
    */
  case Caller
end Run
