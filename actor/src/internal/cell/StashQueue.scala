package undercroft.actor
package internal.cell

import internal.mailbox.MessageQueue

/** Stashed messages in the order of their numbers, in a circular array that grows. The next message
  * is read by [[firstNumber]] and [[pollFirst]]. Cost of an insertion: that of moving the messages
  * on the shorter side of its place, so none at either end.
  */
private[actor] final class StashQueue:
  private var messages = new Array[AnyRef | Null](StashQueue.FirstCapacity)
  private var numbers = new Array[Long](StashQueue.FirstCapacity)
  private var from = 0
  private var count = 0

  def size: Int = count
  def isEmpty: Boolean = count == 0

  /** The number of messages that fit at present. */
  def capacity: Int = messages.length

  /** The lowest number. The queue must not be empty. */
  def firstNumber: Long = numbers(from)

  /** The message that follows `index` others. There must be one. */
  def apply(index: Int): AnyRef = messages(at(index)).nn

  /** Replaces the message that follows `index` others. There must be one. */
  def update(index: Int, message: AnyRef): Unit = messages(at(index)) = message

  /** Returns the message of the lowest number, or null. */
  def peekFirst: AnyRef | Null = messages(from)

  /** Removes and returns the message of the lowest number, or null. */
  def pollFirst(): AnyRef | Null =
    val message = messages(from)
    if message != null then removeFirst()
    message

  def insert(message: AnyRef, number: Long): Unit =
    if count == messages.length then grow()
    val place = placeOf(number)
    if place < count - place then
      from = at(-1)
      var i = 0
      while i < place do
        move(i + 1, i)
        i += 1
    else
      var i = count
      while i > place do
        move(i - 1, i)
        i -= 1
    messages(at(place)) = message
    numbers(at(place)) = number
    count += 1

  /** Removes and returns the first message for which `isWanted` holds, or null. Cost: O(size). */
  def takeFirst(isWanted: AnyRef => Boolean): AnyRef | Null =
    var i = 0
    while i < count && !isWanted(messages(at(i)).nn) do i += 1
    if i == count then null
    else
      val message = messages(at(i))
      while i > 0 do
        move(i - 1, i)
        i -= 1
      removeFirst()
      message

  private def removeFirst(): Unit =
    messages(from) = null
    from = at(1)
    count -= 1
    if count == 0 && capacity > MessageQueue.KeptCapacity then shrink()

  /** Replaces the large arrays of an empty queue. */
  private def shrink(): Unit =
    messages = new Array[AnyRef | Null](StashQueue.FirstCapacity)
    numbers = new Array[Long](StashQueue.FirstCapacity)
    from = 0

  /** The number of messages whose number is lower. */
  private def placeOf(number: Long): Int =
    var low = 0
    var high = count
    if count > 0 && number > numbers(at(count - 1)) then low = count
    while low < high do
      val middle = (low + high) >>> 1
      if numbers(at(middle)) < number then low = middle + 1 else high = middle
    low

  private def at(index: Int): Int = (from + index) & (messages.length - 1)

  private def move(source: Int, target: Int): Unit =
    messages(at(target)) = messages(at(source))
    numbers(at(target)) = numbers(at(source))

  private def grow(): Unit =
    val largerMessages = new Array[AnyRef | Null](count * 2)
    val largerNumbers = new Array[Long](count * 2)
    for i <- 0 until count do
      largerMessages(i) = messages(at(i))
      largerNumbers(i) = numbers(at(i))
    messages = largerMessages
    numbers = largerNumbers
    from = 0
end StashQueue

private[actor] object StashQueue:
  /** The initial capacity, in messages. */
  private inline val FirstCapacity = 8
