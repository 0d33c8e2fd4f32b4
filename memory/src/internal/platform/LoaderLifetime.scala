package undercroft.memory
package internal.platform

import java.lang.invoke.{MethodHandle, MethodHandleProxies, MethodHandles, MethodType}
import java.lang.ref.{Cleaner, Reference, WeakReference}
import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.Objects
import java.util.concurrent.ConcurrentHashMap

/** Callbacks of the JDK that do not keep this library's class loader alive.
  *
  * Threads and static fields of the JDK that refer to an object of a class loader keep the loader,
  * its classes and all their static fields. So they get objects of the JDK's own classes instead,
  * which refer to this loader weakly and do nothing once it is unreachable:
  *
  * {{{
  *   JDK ---> proxy of a JDK interface ---> method handle - - weak - -> callback
  *                                                                        ^
  *   this loader ---> LoaderLifetime.held --------------------------------+
  * }}}
  *
  * A loader that lives as long as the JVM needs none of this, and passes the callbacks themselves.
  * Thread-safe.
  */
private[undercroft] object LoaderLifetime:
  /** Whether this library's class loader lives as long as the JVM. */
  val isPermanent: Boolean =
    val own = getClass.getClassLoader
    var loader = ClassLoader.getSystemClassLoader
    while loader != null && (loader ne own) do loader = loader.getParent
    loader eq own

  /** The callbacks that the JDK refers to weakly. */
  private val held = ConcurrentHashMap.newKeySet[AnyRef]()

  /** Unreachable exactly if the loader is. */
  private val self = Object()

  // Its thread is the JDK's, and ends when the cleaner and all registered objects are unreachable.
  private lazy val cleaner = Cleaner.create()

  /** Runs an action once after `value` has become unreachable; the action must not refer to it. */
  def onUnreachable(value: AnyRef, action: Runnable): Cleaner.Cleanable =
    if isPermanent then cleaner.register(value, action)
    else
      val once = Once(action)
      once.handle = runHandle.bindTo(once)
      cleaner.register(value, runnable(weak(once.handle.nn)))

  private final class Once(action: Runnable) extends Runnable:
    var handle: MethodHandle | Null = null
    def run(): Unit =
      val _ = held.remove(handle)
      action.run()

  /** Calls a method handle of the JDK, bound to values of the JDK's classes, once this loader is
    * unreachable.
    */
  inline def afterUnload(inline action: MethodHandle): Unit =
    if !isPermanent then registerUnload(action)

  private[undercroft] def registerUnload(action: MethodHandle): Unit =
    cleaner.register(self, runnable(action)): Unit

  /** An action for callers that may outlive this loader. */
  def weak(action: Runnable): Runnable =
    if isPermanent then action else runnable(weak(runHandle.bindTo(action)))

  /** An implementation of an interface of the JDK for callers that may outlive this loader. Once
    * the loader is unreachable, its methods return null.
    */
  def weak[A <: AnyRef](interface: Class[A], target: A): A =
    if isPermanent then target
    else
      val invoke =
        MethodHandles.publicLookup.findVirtual(classOf[InvocationHandler], "invoke", handlerType)
      val handler = MethodHandleProxies.asInterfaceInstance(
        classOf[InvocationHandler],
        weak(invoke.bindTo(Forwarding(target)))
      )
      val loader = ClassLoader.getPlatformClassLoader
      interface.cast(Proxy.newProxyInstance(loader, Array[Class[?]](interface), handler)).nn

  /** A method handle that calls `target`, whose types are the JDK's. Once this loader is
    * unreachable, it returns null or zero.
    */
  def weak(target: MethodHandle): MethodHandle =
    if isPermanent then target
    else
      val _ = held.add(target)
      val get = MethodHandles.publicLookup
        .findVirtual(classOf[Reference[?]], "get", MethodType.methodType(classOf[Object]))
        .bindTo(WeakReference(target))
        .asType(MethodType.methodType(classOf[MethodHandle]))
      val isNull = MethodHandles.publicLookup
        .findStatic(classOf[Objects], "isNull", isNullType)
        .asType(MethodType.methodType(classOf[Boolean], classOf[MethodHandle]))
      val invoke = MethodHandles.exactInvoker(target.`type`)
      val guarded = MethodHandles.guardWithTest(isNull, MethodHandles.empty(invoke.`type`), invoke)
      MethodHandles.collectArguments(guarded, 0, get)

  private def runnable(handle: MethodHandle): Runnable =
    MethodHandleProxies.asInterfaceInstance(classOf[Runnable], handle)

  private def runHandle: MethodHandle = MethodHandles.publicLookup
    .findVirtual(classOf[Runnable], "run", MethodType.methodType(classOf[Unit]))

  private def isNullType: MethodType = MethodType.methodType(classOf[Boolean], classOf[Object])

  private def handlerType: MethodType = MethodType.methodType(
    classOf[Object],
    Array[Class[?]](classOf[Object], classOf[Method], classOf[Array[Object]])
  )

  /** Calls the methods of `target`. */
  private final class Forwarding(target: AnyRef) extends InvocationHandler:
    def invoke(proxy: Object, method: Method, arguments: Array[Object] | Null): Object | Null =
      if method.getDeclaringClass eq classOf[Object] then
        method.getName match
          case "equals"   => Boolean.box(arguments.nn(0) eq proxy)
          case "hashCode" => Int.box(System.identityHashCode(proxy))
          case _          => target.toString
      else
        try if arguments == null then method.invoke(target) else method.invoke(target, arguments*)
        catch case error: InvocationTargetException => throw error.getCause
  end Forwarding
end LoaderLifetime
