"""The classic implementation of the Spark interface: through the JVM, by py4j."""
