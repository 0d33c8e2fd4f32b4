package undercroft.actor

/** Sees the messages and signals of an actor before its behavior, and may drop, change or observe
  * them: for [[Behavior.intercept]].
  *
  * An interceptor belongs to one actor and is called on its thread, so it may have state. Its
  * exceptions are failures of the actor. Its result is the behavior that follows the inner one:
  * usually the result of `target`; `Behavior.same` without a call of it drops the message, which
  * counts as handled; `Behavior.unhandled` makes it a dead letter.
  *
  * {{{
  * /** Lets every second message pass. */
  * class EverySecond extends BehaviorInterceptor[Int, Int]:
  *   private var count = 0
  *   def aroundReceive(message: Int, target: BehaviorInterceptor.Target[Int]): Behavior[Int] =
  *     count += 1
  *     if count % 2 == 0 then target.receive(message) else Behavior.same
  *
  * def printer: Behavior[Int] = Behavior.receive: n =>
  *   println(n)
  *   Behavior.same
  *
  * ActorSystem.scoped("numbers"):
  *   val actor = spawn(Behavior.intercept(EverySecond())(printer))
  *   for n <- 1 to 5 do actor ! n // prints 2 and 4
  * }}}
  *
  * @tparam Outer
  *   the messages that the actor accepts
  * @tparam Inner
  *   the messages of the behavior inside
  */
trait BehaviorInterceptor[Outer, Inner <: Outer]:
  /** Handles a message, instead of the inner behavior. */
  def aroundReceive(message: Outer, target: BehaviorInterceptor.Target[Inner]): Behavior[Inner]

  /** Handles a signal, instead of the inner behavior. After `PostStop` and `PreRestart` no other
    * behavior follows.
    */
  def aroundSignal(signal: Signal, target: BehaviorInterceptor.Target[Inner]): Behavior[Inner] =
    target.signal(signal)

object BehaviorInterceptor:
  /** The behavior inside an interceptor. For calls of the interceptor only, any number of times in
    * one call; each is handled by the present behavior.
    */
  final class Target[Inner] private[actor] (
      context: ActorContext[?],
      private[actor] var present: Behavior[Inner]
  ):
    private[actor] var isOpen = false

    /** Lets the inner behavior handle a message. Returns the behavior that follows it.
      *
      * {{{
      * class Doubling extends BehaviorInterceptor[Int, Int]:
      *   def aroundReceive(n: Int, target: BehaviorInterceptor.Target[Int]): Behavior[Int] =
      *     target.receive(2 * n)
      * }}}
      *
      * @throws java.lang.IllegalStateException
      *   outside of a call of the interceptor
      * @throws java.lang.NullPointerException
      *   if the message is null
      */
    def receive(message: Inner): Behavior[Inner] =
      requireOpen()
      if message == null then
        throw NullPointerException(s"an interceptor of ${context.self.name} passed a null message")
      present.receive(message)

    /** Lets the inner behavior handle a signal. Returns the behavior that follows it, or
      * `Behavior.unhandled`.
      *
      * {{{
      * class Silent extends BehaviorInterceptor[Int, Int]:
      *   def aroundReceive(n: Int, target: BehaviorInterceptor.Target[Int]): Behavior[Int] =
      *     target.receive(n)
      *   override def aroundSignal(
      *       signal: Signal,
      *       target: BehaviorInterceptor.Target[Int]
      *   ): Behavior[Int] = signal match
      *     case Signal.Terminated(_, None) => Behavior.same // only failures are passed on
      *     case _                          => target.signal(signal)
      * }}}
      *
      * @throws java.lang.IllegalStateException
      *   outside of a call of the interceptor
      */
    def signal(signal: Signal): Behavior[Inner] =
      requireOpen()
      present.signal(signal)

    private def requireOpen(): Unit =
      context.requireTurn("the target of an interceptor")
      if !isOpen then
        throw IllegalStateException(
          s"the target of an interceptor of ${context.self.name} is used outside of a call of it"
        )

  end Target
end BehaviorInterceptor
