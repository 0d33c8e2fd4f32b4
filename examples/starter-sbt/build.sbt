scalaVersion := "3.8.4"
libraryDependencies += "dev.undercroft" %% "undercroft-struct" % "0.1.0-SNAPSHOT"

// A forked JVM, because the flag belongs to the program's JVM. sbt itself must run on JDK 25, too:
// the compiler loads the macros.
run / fork := true
run / javaOptions += "--enable-native-access=ALL-UNNAMED"
Test / fork := true
Test / javaOptions += "--enable-native-access=ALL-UNNAMED"
