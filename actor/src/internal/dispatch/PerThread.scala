package undercroft.actor
package internal.dispatch

import java.lang.ref.WeakReference
import java.util.WeakHashMap

/** A value for each thread, which lives as long as the thread and this class loader. Thread-safe.
  *
  * A thread refers to its value weakly, unlike a `ThreadLocal`: a thread that lives on would keep
  * the value's class, and so its class loader. A value must not refer to its thread.
  */
private[actor] final class PerThread[A <: AnyRef](create: () => A):
  private val ownValue = ThreadLocal[WeakReference[A]]()
  private val values = WeakHashMap[Thread, A]()

  /** The value of the current thread. */
  def get: A =
    val reference = ownValue.get
    val value = if reference == null then null else reference.get
    if value != null then value else initial()

  private def initial(): A =
    val value = create()
    values.synchronized(values.put(Thread.currentThread, value)): Unit
    ownValue.set(WeakReference(value))
    value
end PerThread
