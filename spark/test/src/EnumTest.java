package undercroft.spark;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.Type;

public class EnumTest {

  private static Path file() {
    return Moods.file(Local.folder().resolve("moods.rows"), Moods.MOODS);
  }

  private static String mood(int row) {
    return Moods.MOODS.get(row / 10);
  }

  private static void assertPlan(String words, Dataset<Row> data) {
    var plan = data.queryExecution().executedPlan().toString();
    assertTrue(plan, plan.contains(words));
  }

  private static Schema schemaOf(Path folder) throws Exception {
    var name = Local.names(folder).stream().filter(entry -> entry.endsWith(".rows")).findFirst();
    try (var file = StructFile.open(folder.resolve(name.orElseThrow()))) {
      return file.schema();
    }
  }

  private static Type typeOf(Schema schema, String name) {
    return schema.leaves().stream().filter(leaf -> leaf.dotted().equals(name)).findFirst().orElseThrow().type();
  }

  private static DataFrameWriter<Row> write(Dataset<Row> data) {
    return data.write().format("undercroft");
  }

  private static Path target() {
    return Local.folder().resolve("moods");
  }

  @Test
  public void enumCasesAreReadAsTheirNames() {
    var data = Local.read(file());
    assertEquals(
        "struct<mood:string,maybe:string,wide:string,both:array<string>,sign:int,name:string>",
        data.schema().catalogString());
    var rows = data.selectExpr("mood", "maybe", "wide", "both[0]", "both[1]", "sign").collectAsList();
    assertEquals(Moods.ROWS, rows.size());
    for (int i = 0; i < Moods.ROWS; i++) {
      var maybe = i % 2 == 0 ? mood(i) : null;
      var expected = List.of(mood(i), maybe + "", mood(i), mood(i), "Calm", 65_500 + i % 30);
      assertEquals(expected.toString(), rows.get(i).toString().replace(",", ", "));
    }
  }

  @Test
  public void groupsAndMinAndMaxUseCaseNames() {
    var data = Local.read(file());
    assertEquals(
        List.of("[Angry,10]", "[Bright,10]", "[Calm,10]", "[Weary,10]", "[Élan,10]"),
        Local.rows(data.groupBy("mood").count()));
    // Ordered by name, not by number.
    assertEquals("[Angry,Élan,25]", data.selectExpr("min(mood)", "max(wide)", "count(maybe)").first().toString());
  }

  @Test
  public void blocksWithoutAMatchingCaseAreSkipped() {
    var data = Local.read(file());
    assertPlan("10 of 50 rows", data.where("mood = 'Weary'"));
    assertPlan("10 of 50 rows", data.where("'Weary' <=> wide"));
    assertPlan("20 of 50 rows", data.where("mood in ('Calm', 'Élan', 'Sad')"));
    assertPlan("0 of 50 rows", data.where("mood = 'Sad'"));
    assertPlan("40 of 50 rows", data.where("mood <> 'Calm'"));
    // Angry, Bright
    assertPlan("20 of 50 rows", data.where("mood < 'Calm'"));
    assertPlan("30 of 50 rows", data.where("not (mood < 'Calm')"));
    assertEquals(10, data.where("mood = 'Weary'").collectAsList().size());
    assertEquals(0, data.where("mood = 'Sad'").collectAsList().size());
    assertEquals(25, data.where("maybe is null").collectAsList().size());
  }

  @Test
  public void predicatesWithCollationsAreEvaluatedBySpark() {
    var data = Local.read(file());
    assertEquals(10, data.where("mood = 'wEARY' collate UTF8_LCASE").collectAsList().size());
    assertEquals(10, data.where("collate(mood, 'UTF8_LCASE') = 'élan'").collectAsList().size());
  }

  @Test
  public void predicatesOnCasesSelectTheRowsThatSparkSelects() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    var files = Local.read(file());
    var here = Local.SPARK.createDataFrame(files.collectAsList(), files.schema());
    var operators = List.of("=", "<=>", "<>", "<", "<=", ">", ">=");
    var names = List.of("Calm", "Bright", "Weary", "Angry", "Élan", "Sad", "", "calm", "Zeal");
    var predicates = new ArrayList<String>();
    for (int i = 0; i < 30; i++) {
      var column = List.of("mood", "maybe", "wide", "both[0]").get(random.nextInt(4));
      var left = "'" + names.get(random.nextInt(names.size())) + "'";
      var right = "'" + names.get(random.nextInt(names.size())) + "'";
      var operator = operators.get(random.nextInt(operators.size()));
      var predicate =
          switch (random.nextInt(5)) {
            case 0 -> column + " in (" + left + ", " + right + ")";
            case 1 -> "not (" + column + " " + operator + " " + left + ")";
            case 2 -> column + " between " + left + " and " + right;
            case 3 -> column + " like 'C%' or " + column + " " + operator + " " + right;
            default -> column + " " + operator + " " + left;
          };
      predicates.add(predicate);
    }
    var expected = Local.rowsWhere(here, predicates, "*");
    for (int i = 0; i < predicates.size(); i++)
      assertEquals(predicates.get(i), expected.get(i), Local.rows(files.where(predicates.get(i))));
  }

  @Test
  public void anInvalidCaseNumberFailsTheTaskAndNamesTheRow() {
    var file = Local.folder().resolve("moods.rows");
    try (var writer = Moods.writer(file, Moods.MOODS)) {
      writer.data().set(JAVA_BYTE, 15 * 37, (byte) 200);
      writer.data().set(JAVA_BYTE, 15 * 41 + 6, (byte) 5);
      writer.seal(Moods.ROWS);
    }
    var words = "file:" + file + ": row 37 of column mood is case 200, but the enum has 5 cases";
    Local.assertSays(words, () -> Local.read(file).select("mood").collectAsList());
    // An invalid case is an error, whatever the predicate.
    Local.assertSays(words, () -> Local.read(file).where("mood = 'Sad'").collectAsList());
    Local.assertSays(
        "file:" + file + ": row 41 of column both is case 5, but the enum has 5 cases",
        () -> Local.read(file).selectExpr("both[1]").collectAsList());
    assertEquals(Moods.ROWS, Local.read(file).select("wide").collectAsList().size());
  }

  @Test
  public void enumsWithoutCaseNamesAreReadAsNumbers() throws Exception {
    var file = Moods.file(Local.folder().resolve("moods.rows"), List.of());
    var data = Local.read(file);
    assertEquals(
        "struct<mood:int,maybe:int,wide:int,both:array<int>,sign:int,name:string>",
        data.schema().catalogString());
    assertEquals(
        "[10,0,4,4]", data.selectExpr("count_if(mood = 3)", "min(mood)", "max(wide)", "max(both[0])").first().toString());
    assertPlan("LocalTableScan", data.selectExpr("min(mood)", "max(wide)"));
    assertPlan("10 of 50 rows", data.where("mood = 3"));
    var folder = target();
    write(data.select("mood", "maybe")).option("nulls", "option").save(folder.toString());
    assertEquals(typeOf(Moods.schema(List.of()), "mood"), typeOf(schemaOf(folder), "mood"));
    assertEquals(Local.rows(data.select("mood", "maybe")), Local.rows(Local.read(folder)));
    Local.assertSays(
        "column mood must be from 0 to 255, as it was read from an enum's number of 1 bytes, but is 300 in a row",
        () ->
            write(Local.SPARK.range(1).selectExpr("300 mood", "cast(null as int) maybe"))
                .mode("append").save(folder.toString()));
  }

  @Test
  public void writingReadColumnsKeepsTheirStoredTypes() throws Exception {
    var folder = target();
    var data = Local.read(file()).drop("both");
    // No option sets the stored types of strings: the columns' metadata do.
    write(data.where("mood <> 'Calm'").withColumnRenamed("name", "called")).option("layout", "packed").save(folder.toString());
    var read = Moods.schema(Moods.MOODS);
    var written = schemaOf(folder);
    for (var name : List.of("mood", "maybe.get", "sign")) assertEquals(typeOf(read, name), typeOf(written, name));
    assertEquals(new Type.Text(6), typeOf(written, "called"));
    // The numbers are now in native byte order.
    assertEquals(((Type.BigEndian) typeOf(read, "wide")).of(), typeOf(written, "wide"));
    assertEquals(Local.rows(data.where("mood <> 'Calm'")), Local.rows(Local.read(folder)));
  }

  @Test
  public void enumsInStructsKeepTheirTypeWhenWritten() throws Exception {
    var folder = target();
    write(Local.read(file()).selectExpr("struct(mood, name) as both", "maybe")).save(folder.toString());
    assertEquals("struct<both:struct<mood:string,name:string>,maybe:string>", Local.read(folder).schema().catalogString());
    var again = target();
    write(Local.read(folder)).save(again.toString());
    assertEquals(schemaOf(folder), schemaOf(again));
    assertTrue(typeOf(schemaOf(again), "both.mood") instanceof Type.Ordinal);
  }

  @Test
  public void aComputedStringIsWrittenAsText() throws Exception {
    var data = Local.read(file()).selectExpr("upper(mood) mood", "name");
    Local.assertSays(
        "column mood is a string: its size must be set by option(", () -> write(data).save(target().toString()));
    var folder = target();
    write(data).option("textBytes.mood", 9).save(folder.toString());
    assertEquals(new Type.Text(9), typeOf(schemaOf(folder), "mood"));
    assertEquals(new Type.Text(6), typeOf(schemaOf(folder), "name"));
    var texts = target();
    write(Local.read(file()).select("mood")).option("enums", "text").save(texts.toString());
    // The size of the longest name.
    assertEquals(new Type.Text(6), typeOf(schemaOf(texts), "mood"));
    assertEquals(Local.rows(Local.read(file()).select("mood")), Local.rows(Local.read(texts)));
    Local.assertSays(
        "option enums must be keep or text, but is yes",
        () -> write(data).option("enums", "yes").save(target().toString()));
  }

  @Test
  public void appendedStringsAreStoredAsTheEnumOfTheFolder() throws Exception {
    var folder = target();
    write(Local.read(file()).select("mood", "name")).save(folder.toString());
    var addition = Local.SPARK.sql("select 'Weary' mood, 'zz' name union all select 'Élan', 'yy'");
    write(addition).option("nulls", "fail").mode("append").save(folder.toString());
    for (var name : Local.names(folder))
      if (name.endsWith(".rows"))
        try (var file = StructFile.open(folder.resolve(name))) {
          assertEquals(new Type.Ordinal(Type.Primitive.BYTE, Moods.MOODS), typeOf(file.schema(), "mood"));
        }
    assertEquals(Moods.ROWS + 2, Local.read(folder).count());
    assertEquals(11, Local.read(folder).where("mood = 'Weary'").count());
    var before = Local.names(folder);
    Local.assertSays(
        "column mood is Sad in a row, but the enum that it was read from has only Calm, Bright, Weary, Angry, Élan",
        () -> write(Local.SPARK.sql("select 'Sad' mood, 'x' name")).mode("append").save(folder.toString()));
    assertEquals(before, Local.names(folder));
  }

  @Test
  public void filesOfOneFolderMayHaveDifferentCases() throws Exception {
    var folder = Files.createDirectory(target());
    Moods.file(folder.resolve("a.rows"), Moods.MOODS);
    var cases = List.of("Calm", "Angry", "Bright", "Weary", "Élan", "Sad");
    Moods.file(folder.resolve("b.rows"), cases);
    var data = Local.read(folder).select("mood");
    var expected =
        IntStream.range(0, 2 * Moods.ROWS)
            .mapToObj(i -> "[" + (i < Moods.ROWS ? Moods.MOODS : cases).get(i % Moods.ROWS / 10) + "]")
            .sorted()
            .toList();
    assertEquals(expected, Local.rows(data));
    assertPlan("20 of 100 rows", data.where("mood = 'Angry'"));
    assertEquals(20, data.where("mood = 'Angry'").collectAsList().size());
    // The enums differ.
    Local.assertSays("column mood is a string", () -> write(data).save(target().toString()));
  }
}
