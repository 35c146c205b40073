/**
 * The pieces of real work for `real-work.ts`, and how each is judged. They come from public repositories under
 * permissive licences.
 */

/** How a project runs its tests. Each of these can write JUnit XML, from which the results are counted. */
export type TestRunner = "vitest" | "pytest" | "maven"

/**
 * The tests of the upstream commit in these files decide whether the work is right. They are copied in after the run.
 */
interface ByUpstreamTests {
  readonly kind: "tests"
  readonly upstream: string
  readonly testFiles: ReadonlyArray<string>
}

/** The old name must be gone, except where it must stay. The project's own tests must pass with the new name. */
interface ByRename {
  readonly kind: "rename"
  readonly from: string
  readonly to: string
  readonly keptIn: ReadonlyArray<string>
  readonly testFiles: ReadonlyArray<string>
}

/** The answer must name all of these, in any letter case. */
interface ByAnswer {
  readonly kind: "answer"
  readonly names: ReadonlyArray<string>
}

/**
 * The work must change exactly the places that the upstream commit changes. Each place is a statement whose first line
 * matches.
 */
export interface ByPlaces {
  readonly kind: "places"
  readonly upstream: string
  readonly folder: string
  /** An extended regular expression of git. */
  readonly pattern: string
}

export interface Piece {
  readonly name: string
  readonly language: "TypeScript" | "Python" | "Go" | "Java"
  readonly work: "one-file fix" | "fix elsewhere" | "feature" | "rename" | "question" | "many places"
  /** A public git URL. */
  readonly repository: string
  readonly license: string
  /** The commit at which the work starts. */
  readonly base: string
  /** What a user would ask for: what the program does and should do, never how to change it. */
  readonly prompt: string
  /**
   * Packages that the tests need, from the public registry. With `python`, they come from PyPI into `.venv`. Otherwise
   * they come from npm into `node_modules`. Their scripts do not run.
   */
  readonly packages: ReadonlyArray<string>
  /** The command for Python, with which `.venv` is created. */
  readonly python?: string
  readonly runner?: TestRunner
  /** Arguments that select some of the judging tests, if all of them take too long. */
  readonly testArguments?: ReadonlyArray<string>
  /** The command for the project's tests. The run gets it as `--check`. */
  readonly check?: string
  readonly judgement: ByUpstreamTests | ByRename | ByAnswer | ByPlaces
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
  },
  {
    name: "py-fix-elsewhere",
    language: "Python",
    work: "fix elsewhere",
    repository: "https://github.com/sphinx-doc/sphinx",
    license: "BSD-2-Clause",
    base: "c0c041349302a783d160361d5bc0449be70f406a",
    prompt:
      "In the Python domain the types in an unpacked annotation are no links: in `.. py:function:: f(*args: *tuple[str, int])` " +
      "the whole annotation `*tuple[str, int]` is looked up as one name, while `tuple[str, int]` gives a link for each " +
      "type. Please find the cause, fix it so that `tuple`, `str` and `int` are references and the star is an operator, and " +
      "add a test and an entry in CHANGES.rst.",
    packages: [".", "pytest", "defusedxml", "cython", "setuptools", "typing_extensions"],
    python: "python3.12",
    runner: "pytest",
    testArguments: ["tests/test_domains/test_domain_py.py", "tests/test_pycode/test_pycode_ast.py"],
    check: ".venv/bin/python -m pytest -q tests/test_domains/test_domain_py.py tests/test_pycode",
    judgement: {
      kind: "tests",
      upstream: "d9b20d055308f12c9c3db2df2272000d1ac0e795",
      testFiles: ["tests/test_domains/test_domain_py.py", "tests/test_pycode/test_pycode_ast.py"]
    }
  },
  {
    name: "py-feature-files",
    language: "Python",
    work: "feature",
    repository: "https://github.com/sphinx-doc/sphinx",
    license: "BSD-2-Clause",
    base: "50fb4a9dbb905af5a9b95b957ab942511c0fff9b",
    prompt:
      "With `python_display_short_literal_types = True` the directives of the Python domain show `Literal[1, 'a']` as `1 | 'a'`, " +
      "but autodoc ignores the option. Let autodoc respect it everywhere it shows a type: in signatures of functions, methods " +
      "and overloads, for types of data and attributes, base classes of aliases, in the fields that " +
      "`autodoc_typehints = 'description'` adds, and for the types that napoleon takes from annotations. It must work with each " +
      "`autodoc_typehints_format`, also for members of an enum in a `Literal`. Without the option nothing changes. Add tests, " +
      "an entry in CHANGES.rst, and a sentence in the description of the option.",
    packages: [".", "pytest", "defusedxml", "cython", "setuptools", "typing_extensions"],
    python: "python3.12",
    runner: "pytest",
    testArguments: ["tests/test_extensions/test_ext_autodoc.py"],
    check: ".venv/bin/python -m pytest -q tests/test_util tests/test_extensions/test_ext_autodoc.py",
    judgement: {
      kind: "tests",
      upstream: "1b83e558098122eb0e7badb9dc8a7f7d0ada1c59",
      testFiles: ["tests/test_extensions/test_ext_autodoc.py", "tests/roots/test-ext-autodoc/target/literal.py"]
    }
  },
  {
    name: "java-fix",
    language: "Java",
    work: "fix elsewhere",
    repository: "https://github.com/jhy/jsoup",
    license: "MIT",
    base: "d90a819076f01163ee6ef816a163f90af72090de",
    prompt:
      "`Element.children()` can be out of date: I call `div.children()`, then replace one of the child elements with " +
      "`child.replaceWith(other)`, and `div.children()` still gives the old element, and `div.child(0)` too. The same happens " +
      "when the node list is changed by setting a child. After a replacement the children have to be the new ones. Please " +
      "find the cause, fix it, and add a test and an entry in CHANGES.md.",
    packages: [],
    runner: "maven",
    testArguments: ["-Danimal.sniffer.skip", "-Dtest=ElementTest,NodeTest,ElementsTest"],
    check: "mvn -o -q test -Danimal.sniffer.skip -Dtest=ElementTest,NodeTest,ElementsTest",
    judgement: {
      kind: "tests",
      upstream: "71b7ce59d7e505268dc39bf006fa0c2faf64b4f7",
      testFiles: ["src/test/java/org/jsoup/nodes/ElementTest.java"]
    }
  },
  {
    name: "py-places",
    language: "Python",
    work: "many places",
    repository: "https://github.com/sphinx-doc/sphinx",
    license: "BSD-2-Clause",
    base: "0fc97a0b56d31f2703ff42dfe946e8d11d667909",
    prompt:
      "Fix exception causes in the package `sphinx`: for each `raise` of a new exception inside an `except` block, chain it " +
      "with `from exc`, where `exc` is the name that the block binds (bind it with `as exc` when it binds none). A bare `raise`, " +
      "a `raise` outside an except block, the re-raising of the caught exception and a `raise` that has a cause already stay as " +
      "they are.",
    packages: [
      ".",
      "pytest",
      "html5lib",
      "docutils<0.17",
      "jinja2<3",
      "markupsafe<2.1",
      "Cython<3",
      "sphinxcontrib-applehelp<1.0.3",
      "sphinxcontrib-devhelp<1.0.3",
      "sphinxcontrib-htmlhelp<2.0.1",
      "sphinxcontrib-serializinghtml<1.1.6",
      "sphinxcontrib-qthelp<1.0.4",
      "alabaster<0.7.13"
    ],
    python: "python3.8",
    check:
      ".venv/bin/python -m pytest -q tests/test_config.py tests/test_domain_c.py tests/test_domain_cpp.py tests/test_theming.py",
    judgement: {
      kind: "places",
      upstream: "53c1dff91c0b7100e1ce1b51acbf0fffbc10cf9c",
      folder: "sphinx",
      pattern: "^ *raise( |$)"
    }
  }
]
