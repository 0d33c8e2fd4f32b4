package outside.spark;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** A program that writes a stream to a folder until its input ends. */
public final class StreamJob {
  /** The exit value of a process that was ended on purpose. */
  static final int HALTED = 77;

  private StreamJob() {}

  /** @param args the folder of the input, the folder to write, and the folder of the checkpoint
   */
  public static void main(String[] args) throws Exception {
    var spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("stream")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.warehouse.dir", Path.of(args[2]).resolveSibling("warehouse").toString())
            .config("spark.hadoop.fs.halting.impl", HaltingFileSystem.class.getName())
            .config("spark.sql.streaming.checkpointFileManagerClass", HaltingFileSystem.CHECKPOINTS)
            .getOrCreate();
    var query =
        spark.readStream().schema("id long").option("maxFilesPerTrigger", 1).json(args[0])
            .selectExpr(
                "id", "array(cast(id as int), cast(id as int) + 1, -cast(id as int)) parts",
                "case when id % 3 > 0 then cast(id as int) end note")
            .writeStream()
            .format("undercroft")
            .option("arrayLength", 3)
            .option("checkpointLocation", "halting:" + args[2])
            .trigger(Trigger.AvailableNow())
            .start("halting:" + args[1]);
    query.awaitTermination();
    spark.stop();
  }
}
