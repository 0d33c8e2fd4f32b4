package undercroft.memory
private[memory] final class MallocHeap
