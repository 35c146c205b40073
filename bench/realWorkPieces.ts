/** Pieces of real work from public repositories under permissive licences, with what judges them: the data of `real-work.ts`. */

/** How a project runs its tests. Both runners can write what passed as JUnit XML, which is how results are counted. */
export type TestRunner = "vitest" | "pytest"

/** The tests of the upstream commit in these files, brought in after the run, say whether the work is right. */
interface ByUpstreamTests {
  readonly kind: "tests"
  readonly upstream: string
  readonly testFiles: ReadonlyArray<string>
}

/** The old name is gone except where it must stay, and the project's own tests pass with the new name in them. */
interface ByRename {
  readonly kind: "rename"
  readonly from: string
  readonly to: string
  readonly keptIn: ReadonlyArray<string>
  readonly testFiles: ReadonlyArray<string>
}

/** The answer names all of these, in any case of letters. */
interface ByAnswer {
  readonly kind: "answer"
  readonly names: ReadonlyArray<string>
}

export interface Piece {
  readonly name: string
  readonly language: "TypeScript" | "Python" | "Go"
  readonly work: "one-file fix" | "feature" | "rename" | "question"
  /** A public git URL. */
  readonly repository: string
  readonly license: string
  /** The commit that the work starts from. */
  readonly base: string
  /** What a person asks for: what the program does and should do, never how. */
  readonly prompt: string
  /** Packages of npm that the tests need, put into `node_modules` from the ordinary registry; no script of theirs runs. */
  readonly packages: ReadonlyArray<string>
  readonly runner?: TestRunner
  /** The project's command for its tests, given to the run as `--check`. */
  readonly check?: string
  readonly judgement: ByUpstreamTests | ByRename | ByAnswer
}

const citty = {
  language: "TypeScript",
  repository: "https://github.com/unjs/citty",
  license: "MIT",
  packages: ["vitest@4.1.0", "scule@1.3.0", "typescript@5.9.3"],
  runner: "vitest",
  check: "node_modules/.bin/vitest run"
} as const

const boltons = {
  language: "Python",
  repository: "https://github.com/mahmoud/boltons",
  license: "BSD-3-Clause",
  packages: [],
  runner: "pytest",
  check: "python3 -m pytest -q"
} as const

export const pieces: ReadonlyArray<Piece> = [
  {
    ...citty,
    name: "ts-fix",
    work: "one-file fix",
    base: "c80f64cc25807bdb6ff24c373834ee7e8ce1140c",
    prompt:
      "My command has a string option `env` and a subcommand `deploy`. `mycli --env production deploy` does not run deploy: " +
      "it says that the command production is unknown. `mycli --env=production deploy` works. The value of an option of the " +
      "parent must not be taken for the name of the subcommand, also with a short alias (`-e production deploy`) and for " +
      "enum options. A boolean option has no value, so `mycli --verbose deploy` has to go on working. Please fix this.",
    judgement: {
      kind: "tests",
      upstream: "69252d409b9a93c3fade0a4d207f598d1cdef732",
      testFiles: ["test/main.test.ts"]
    }
  },
  {
    ...citty,
    name: "ts-feature",
    work: "feature",
    base: "69252d409b9a93c3fade0a4d207f598d1cdef732",
    prompt:
      "Let subcommands have aliases: with `meta: { name: 'install', alias: 'i' }`, or a list `alias: ['i', 'add']`, " +
      "`mycli i` runs the subcommand install, also for nested subcommands. A subcommand whose key is exactly the word that " +
      "was typed wins over an alias. Unknown words still give the error for an unknown command. The usage lists the aliases " +
      "after the name, as in `install, i`.",
    judgement: {
      kind: "tests",
      upstream: "6840275d97a2e759d73e1815442699c1c2596990",
      testFiles: ["test/main.test.ts"]
    }
  },
  {
    name: "py-fix-keys",
    language: "Python",
    work: "one-file fix",
    repository: "https://github.com/keleshev/schema",
    license: "MIT",
    base: "27e268d4fc36a169b9a3296fe03d3b897fc0bf2f",
    prompt:
      "When I give the schema of a dictionary key its own error message, as in " +
      '`Schema({Optional(Regex("^[a-z]+$", error="keys are lower case letters")): int})`, and validate `{"A1": 1}`, I get only ' +
      "\"Wrong key 'A1'\"; my message is lost. It should be reported for a key that does not fit. Keys without a message of " +
      "their own are reported as they are now.",
    packages: [],
    runner: "pytest",
    check: "python3 -m pytest -q",
    judgement: {
      kind: "tests",
      upstream: "15158c5391eaacbc1e4813b3529ea035fd2cf03e",
      testFiles: ["test_schema.py"]
    }
  },
  {
    ...boltons,
    name: "py-fix-traceback",
    work: "one-file fix",
    base: "80f9eb4296daadad85db5ef6c0fd14e2f3602fa4",
    prompt:
      "`ParsedException.from_string` in tbutils dies with an IndexError when the text of a traceback was cut off, for example " +
      "after a `File ...` line in a log that ends there. It should return what could be read, with an empty line of source " +
      "where that is missing.",
    judgement: {
      kind: "tests",
      upstream: "8a2a93d8213e1fa4da30c8167ab1a18caad17a17",
      testFiles: ["tests/test_tbutils_parsed_exc.py"]
    }
  },
  {
    ...boltons,
    name: "py-rename",
    work: "rename",
    base: "967864f89791509f9eb36b22b4579d36b72a6df2",
    prompt:
      "Rename the class `IndexedSet` to `OrderedSet` everywhere in the code, the tests and the documentation. CHANGELOG.md is " +
      "history and stays as it is.",
    judgement: {
      kind: "rename",
      from: "IndexedSet",
      to: "OrderedSet",
      keptIn: ["CHANGELOG.md"],
      testFiles: ["tests/test_setutils.py"]
    }
  },
  {
    name: "go-question",
    language: "Go",
    work: "question",
    repository: "https://github.com/spf13/pflag",
    license: "BSD-3-Clause",
    base: "5fdac2d16c16d60605cb8baa887e8c5c38ef623f",
    prompt:
      "My program allows unknown flags. When somebody writes `--unknown value --known 1`, which function decides whether the " +
      "word after an unknown flag is dropped too, in which file is it, and which two functions call it?",
    packages: [],
    judgement: {
      kind: "answer",
      names: ["stripUnknownFlagValue", "flag.go", "parseLongArg", "parseSingleShortArg"]
    }
  }
]
