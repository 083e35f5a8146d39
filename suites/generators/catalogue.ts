import { join } from "node:path";
import type { Generator } from "./generator.ts";
import { OPENAPI_GENERATOR_SAYS_ALWAYS, openApiGenerator, PYTHON } from "./tools.ts";

const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const TSC = join(import.meta.dir, "../../node_modules/.bin/tsc");
/** Checks the program against the client's types, and not the client's own code, which is its tool's affair. */
const MYPY = [PYTHON, "-m", "mypy", "--follow-imports=silent", "--no-error-summary", "program.py"];
const MAVEN = ["mvn", "--batch-mode", "--quiet", "-DskipTests", "-Dmaven.javadoc.skip=true"];

/** It has no use for the examples of a body, which the reference page shows. */
const JAVA_SAYS_ALWAYS = new RegExp(
  `${OPENAPI_GENERATOR_SAYS_ALWAYS.source}|Ignoring complex example on request body`,
);

/** Public generators, each as its users call it. A later client or example is a row here and a folder in `programs/`. */
export const GENERATORS: readonly Generator[] = [
  {
    name: "go-openapi-generator",
    language: "Go",
    webhooks: "a call",
    needs: ["go", "java", "mvn"],
    generate: openApiGenerator("go", { packageName: "client", withGoMod: "false" }),
    saysAlways: OPENAPI_GENERATOR_SAYS_ALWAYS,
    // Its own tests import the module under the name that it would have had.
    compile: ({ folder }) => [
      ["rm", "-r", join(folder, "client/test")],
      ["go", "vet", "./..."],
      ["go", "build", "-o", "program", "."],
    ],
    run: () => ["./program"],
  },
  {
    name: "go-oapi-codegen",
    language: "Go",
    webhooks: "a sender",
    needs: ["go"],
    generate: ({ document, folder }) => [
      ["mkdir", join(folder, "client")],
      ["go", "run", OAPI_CODEGEN, "-generate", "types,client", "-package", "client"].concat([
        "-o",
        join(folder, "client/client.go"),
        document,
      ]),
    ],
    compile: () => [
      ["go", "mod", "tidy"],
      ["go", "vet", "./..."],
      ["go", "build", "-o", "program", "."],
    ],
    run: () => ["./program"],
  },
  {
    name: "kotlin-openapi-generator",
    language: "Kotlin",
    webhooks: "a call",
    needs: ["java", "mvn"],
    generate: openApiGenerator("kotlin", { library: "jvm-okhttp4", serializationLibrary: "jackson" }),
    saysAlways: OPENAPI_GENERATOR_SAYS_ALWAYS,
    // The client's own build is Gradle's, which Debian has only in a version that is too old for it.
    compile: () => [
      [...MAVEN, "kotlin:compile", "dependency:copy-dependencies", "-DoutputDirectory=target/lib"],
    ],
    run: () => ["java", "-cp", "target/classes:target/lib/*", "ProgramKt"],
    page: {
      language: "kotlin",
      file: "src/Page.kt",
      run: ["java", "-cp", "target/classes:target/lib/*", "PageKt"],
    },
  },
  {
    name: "python-openapi-generator",
    language: "Python",
    webhooks: "a call",
    needs: ["python3", "java", "mvn"],
    generate: openApiGenerator("python", { packageName: "animals" }),
    saysAlways: OPENAPI_GENERATOR_SAYS_ALWAYS,
    compile: ({ folder }) => [
      ["ln", "-s", "client/animals", join(folder, "animals")],
      [PYTHON, "-m", "compileall", "-q", "client", "program.py"],
      MYPY,
    ],
    run: () => [PYTHON, "program.py"],
  },
  {
    name: "python-openapi-python-client",
    language: "Python",
    webhooks: "left out",
    needs: ["python3"],
    generate: ({ document, folder }) => [
      // It formats what it wrote with a program that it expects on the path.
      [
        "env",
        `PATH=${join(PYTHON, "..")}:${process.env.PATH}`,
        join(PYTHON, "../openapi-python-client"),
      ].concat(["generate", "--path", document, "--meta", "none", "--output-path", join(folder, "animals")]),
    ],
    compile: () => [[PYTHON, "-m", "compileall", "-q", "animals", "program.py"], MYPY],
    run: () => [PYTHON, "program.py"],
  },
  {
    name: "java-openapi-generator",
    language: "Java",
    webhooks: "a call",
    needs: ["java", "mvn"],
    generate: openApiGenerator("java", { library: "native" }),
    saysAlways: JAVA_SAYS_ALWAYS,
    compile: ({ folder }) => [
      ["cp", "Program.java", join(folder, "client/src/main/java")],
      [...MAVEN, "-f", "client", "package"],
    ],
    run: () => ["java", "-cp", "client/target/classes:client/target/lib/*", "Program"],
  },
  {
    name: "spring-openapi-generator",
    language: "Java",
    webhooks: "a stub",
    needs: ["java", "mvn"],
    generate: openApiGenerator("spring"),
    saysAlways: JAVA_SAYS_ALWAYS,
    compile: () => [[...MAVEN, "-f", "client", "compile"]],
  },
  {
    name: "php-openapi-generator",
    language: "PHP",
    webhooks: "a call",
    needs: ["php", "java", "mvn"],
    generate: openApiGenerator("php"),
    // The parameter's name is a word of PHP, so it renames the type of its values.
    saysAlways: new RegExp(`${OPENAPI_GENERATOR_SAYS_ALWAYS.source}|include \\(reserved word\\)`),
    compile: () => [["sh", "-c", "find client/lib program.php -name '*.php' | xargs -n 1 php -l >/dev/null"]],
    run: () => ["php", "program.php"],
  },
  {
    name: "ruby-openapi-generator",
    language: "Ruby",
    webhooks: "a call",
    needs: ["ruby", "java", "mvn"],
    generate: openApiGenerator("ruby"),
    saysAlways: OPENAPI_GENERATOR_SAYS_ALWAYS,
    compile: () => [["sh", "-c", "find client/lib program.rb -name '*.rb' | xargs ruby -wc >/dev/null"]],
    run: () => ["ruby", "-I", "client/lib", "program.rb"],
  },
  {
    name: "rust-openapi-generator",
    language: "Rust",
    webhooks: "a call",
    needs: ["cargo", "java", "mvn"],
    generate: openApiGenerator("rust"),
    // It has a remark for each name that it writes in Rust's own way.
    saysAlways: new RegExp(`${OPENAPI_GENERATOR_SAYS_ALWAYS.source}|cannot be used as a \\w+(/\\w+)? name`),
    compile: () => [["cargo", "build", "--quiet"]],
    run: () => ["target/debug/program"],
    page: { language: "rust", file: "src/bin/page.rs", run: ["target/debug/page"] },
  },
  {
    name: "typescript-openapi-generator",
    language: "TypeScript",
    webhooks: "a call",
    needs: ["java", "mvn"],
    generate: openApiGenerator("typescript-fetch"),
    // The contract's name for its Error, which it renames.
    saysAlways: new RegExp(`${OPENAPI_GENERATOR_SAYS_ALWAYS.source}|Renamed to ModelError`),
    compile: () => [[TSC, "-p", "."]],
    run: () => [process.execPath, "program.ts"],
    // The greatest integer that JavaScript's numbers hold exactly.
    greatest: "9007199254740991",
  },
];
