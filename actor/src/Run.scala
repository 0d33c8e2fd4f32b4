package undercroft.actor

import java.util.concurrent.Executor

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
    * [[ActorEvent.Stalled]]. While a virtual thread waits in an `ask`, another virtual thread may
    * run the turn of an actor whose worker is idle.
    */
  case Workers

  /** As `Workers`, on a named pool of workers of their own, which the system was created with: so
    * that one part of a program does not keep another one waiting, or never uses more than some
    * threads. Actors do not move between pools, and a message from one pool to another costs as
    * much as one from another thread. A process has a virtual thread as on `Workers`.
    *
    * {{{
    * ActorSystem.scoped("shop", pools = Map("reports" -> 1)):
    *   val reports = spawn(Behavior.ignore[Int], run = Run.Pool("reports"))
    *   reports ! 1
    * }}}
    */
  case Pool(name: String)

  /** On its own virtual thread, which yields to other virtual threads after half a millisecond of
    * messages. Handlers may block.
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
    * next. If the sender is an actor with this run model, too, the message is handled after the
    * sender's handler. The message of a timer, which has no sender, is handled on another thread of
    * the runtime.
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

  /** On an executor, which runs the actor's turns as tasks: several messages in one task, for about
    * half a millisecond. Handlers may block if the executor's threads may. Nothing reports that
    * they are stalled. The actors of one executor may run at the same time, an actor only on one
    * thread at a time.
    *
    * If the executor rejects a task, because it was shut down or is full, or throws any other
    * exception, the actor stops as by a failure with an [[ExecutorFailedException]], and its
    * messages become dead letters; the sender does not fail. An InterruptedException also sets the
    * sender's interrupt status. An executor that discards tasks without an exception must not be
    * used: the messages wait for ever.
    *
    * {{{
    * val executor = java.util.concurrent.Executors.newFixedThreadPool(2)
    * ActorSystem.scoped("reports"):
    *   spawn(Behavior.ignore[Int], run = Run.On(executor)) ! 1
    * executor.shutdown() // after the last message was handled
    * }}}
    */
  case On(executor: Executor)
end Run

object Run:
  /** The run models without a parameter.
    *
    * {{{
    * println(Run.standard) // Vector(Workers, Virtual, Thread, Caller)
    * }}}
    */
  def standard: Vector[Run] = Vector(Workers, Virtual, Thread, Caller)
