import undercroft.actor.*

enum Till derives CanEqual:
  case Rate(percent: Int)
  case Sale(cents: Int)

/** Takes a percentage off each sale; the behavior inside sees sales only. */
class Discount extends BehaviorInterceptor[Till, Till.Sale]:
  private var rate = 0
  def aroundReceive(
      message: Till,
      target: BehaviorInterceptor.Target[Till.Sale]
  ): Behavior[Till.Sale] = message match
    case Till.Rate(percent) => rate = percent; Behavior.same
    case Till.Sale(cents)   => target.receive(Till.Sale(cents * (100 - rate) / 100))

/** Prints what an actor receives: Pekko's `Behaviors.logMessages` and `Behaviors.monitor`. */
class Printing[T](name: String) extends BehaviorInterceptor[T, T]:
  def aroundReceive(message: T, target: BehaviorInterceptor.Target[T]): Behavior[T] =
    println(s"$name receives $message")
    target.receive(message)
  override def aroundSignal(
      signal: Signal,
      target: BehaviorInterceptor.Target[T]
  ): Behavior[T] =
    println(s"$name receives $signal")
    target.signal(signal)

def sales(sum: Int): Behavior[Till.Sale] = Behavior.receive: sale =>
  println(s"${sum + sale.cents} cents")
  sales(sum + sale.cents) // the interceptor remains

@main def interceptors(): Unit =
  val till = Behavior.intercept(Discount())(sales(0))
  ActorSystem.scoped("market"):
    val mine = spawn(Behavior.intercept(Printing[Till]("mine"))(till))
    mine ! Till.Sale(500)
    mine ! Till.Rate(10)
    mine ! Till.Sale(300)

// prints:
// mine receives Sale(500)
// 500 cents
// mine receives Rate(10)
// mine receives Sale(300)
// 770 cents
// mine receives PostStop
