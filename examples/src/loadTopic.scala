import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.time.Duration
import org.apache.kafka.clients.consumer.{Consumer, ConsumerRecord, KafkaConsumer, MockConsumer}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.{ByteArrayDeserializer, ByteBufferDeserializer}
import scala.jdk.CollectionConverters.*
import undercroft.file.*
import undercroft.struct.*

/** A message, with its offset in its partition: the file knows where to continue. */
case class Observation(offset: Long, sensor: Int, millis: Long, celsius: Double) derives Struct

def observation(message: ConsumerRecord[Array[Byte], ByteBuffer]): Observation =
  val bytes = message.value // 4 bytes of sensor, 8 of time, 8 of temperature
  Observation(message.offset, bytes.getInt(0), bytes.getLong(4), bytes.getDouble(12))

/** Appends the messages of a partition to a file until `isRunning` is false. */
def follow(
    consumer: Consumer[Array[Byte], ByteBuffer],
    partition: TopicPartition,
    path: Path,
    isRunning: () => Boolean
): Unit =
  val file =
    if Files.exists(path) then Columns.open[Observation](path)
    else Columns.create[Observation](path, maxRows = 100_000_000)
  try
    consumer.assign(List(partition).asJava)
    consumer.seek(partition, if file.isEmpty then 0 else file.last.offset + 1)
    while isRunning() do
      val messages = consumer.poll(Duration.ofMillis(500)).records(partition).asScala
      for message <- messages do file += observation(message)
      if messages.nonEmpty then file.commit() // all of the batch, or none, after a crash
  finally file.close()

/** A consumer of a broker. It commits no offsets: the file has them. */
def consumerAt(servers: String): Consumer[Array[Byte], ByteBuffer] =
  val settings = Map[String, Object](
    "bootstrap.servers" -> servers,
    "enable.auto.commit" -> "false",
    "max.poll.records" -> "10000"
  )
  KafkaConsumer(settings.asJava, ByteArrayDeserializer(), ByteBufferDeserializer())

@main def loadTopic(): Unit =
  val partition = TopicPartition("observations", 0)
  val path = Files.createTempDirectory("topic").resolve("observations.struct")

  /** A consumer of Kafka's own library whose topic has `count` messages, without a broker. */
  def consumerOf(count: Int) =
    val consumer = MockConsumer[Array[Byte], ByteBuffer]("earliest")
    consumer.updateBeginningOffsets(java.util.Map.of(partition, 0L))
    consumer.schedulePollTask: () =>
      for i <- 0 until count do
        val bytes = ByteBuffer.allocate(20)
        bytes.putInt(i % 3).putLong(1000L * i).putDouble(20 + i % 5).flip()
        consumer.addRecord(ConsumerRecord(partition.topic, 0, i, Array.emptyByteArray, bytes))
    consumer

  for count <- Seq(1000, 1500) do // the second run continues at offset 1000
    var polls = 0
    follow(
      consumerOf(count),
      partition,
      path,
      () =>
        polls += 1; polls <= 3
    )
    val file = Columns.openReadOnly[Observation](path)
    println(file.size)
    println(file.last.offset)
    println(file.filter(_.sensor == 1).map(_.celsius).max)
    file.close()
end loadTopic

// prints:
// 1000
// 999
// 24.0
// 1500
// 1499
// 24.0
