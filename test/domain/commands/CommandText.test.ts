import { assert, describe, it } from "@effect/vitest"
import {
  commandProblem,
  commandText,
  type CommandLine,
  programTrial,
  scriptsInText,
  scriptsOfCommand
} from "../../../src/domain/commands/CommandText.ts"

it("the text of a command joins plain words by blanks and puts every other word into quotes", () => {
  assert.strictEqual(commandText(["npm", "run", "a:b", "--x=1"]), "npm run a:b --x=1")
  assert.strictEqual(commandText(["a b", "", "*", "$(id)", 'a"b', "ä\n"]), '"a b" "" "*" "$(id)" "a\\"b" "ä\\n"')
})

const wordsOf = (count: number): CommandLine => ["a", ...Array.from({ length: count - 1 }, () => "b")]

it.each<[argv: CommandLine, problem: string | undefined]>([
  [wordsOf(256), undefined],
  [wordsOf(257), "The command has 257 words; at most 256 are taken. Make several calls."],
  [["a", "x".repeat(32_768)], "The command has 32771 bytes; at most 32768 are taken. Put long text into a file."],
  [["  ", "a"], "The program is empty. Name it as the first element of argv."],
  [["-rf"], 'The program "-rf" looks like an option. Name the program first.'],
  [["a", "b\0c"], "Element 1 of argv holds a NUL character or half a character. Remove it."],
  [["a", "b", "\udc00"], "Element 2 of argv holds a NUL character or half a character. Remove it."]
])("a command has a problem or none: %#", (argv, problem) => assert.strictEqual(commandProblem(argv), problem))

const namedIn = (line: string) => scriptsOfCommand(line.split(" "))
const isLookedUp = (line: string, name: string) => namedIn(line).definitions.some((pattern) => pattern.test(name))

const filesIn = (text: string) => [...scriptsInText(text).files]

describe("the scripts that a command names", () => {
  it.each([
    ["sh build.sh", "sh build.sh"],
    ["python3.12 -X dev tools/x.py", "python3.12 dev tools/x.py"],
    ["node --import=./setup.js a.js", "node ./setup.js a.js"],
    ["./run data.csv", "./run"],
    ["scripts/run data.csv", "scripts/run"],
    ["wc -l data.csv", ""],
    ["eslint src/a.ts --config ./own.js", "./own.js"],
    ["git status", ""],
    ["make -f  all", ""],
    ["make -f ci.mk all", "ci.mk"],
    ["make -fci.mk", "ci.mk"],
    ["just --justfile ci/just", "ci/just"],
    ["cargo test --manifest-path a/Cargo.toml", "a/Cargo.toml"],
    ["grep -f words.txt", ""]
  ])("are among its words: %s", (line, files) => assert.strictEqual(namedIn(line).files.join(" "), files))

  it("are read out of the text for a shell", () => {
    const { definitions, files } = scriptsOfCommand(["bash", "-c", "cd x && ./y.sh"])
    assert.deepStrictEqual(files, ["bash", "cd x && ./y.sh", "./y.sh"])
    assert.isFalse(definitions.some((pattern) => pattern.test("package.json")))
    assert.isTrue(
      scriptsOfCommand(["sh", "-c", "cd a; pnpm run x"]).definitions.some((one) => one.test("package.json"))
    )
  })

  it.each([
    ["npm test", "package.json", true],
    ["npx vitest", ".npmrc", true],
    ["/usr/bin/make all", "Makefile", true],
    ["just x", "justfile", true],
    ["./gradlew test", "build.gradle.kts", true],
    ["cargo build", "build.rs", true],
    ["pytest", "conftest.py", true],
    ["tox", "tox.ini", true],
    ["composer test", "composer.json", true],
    ["bundle exec rake", "Rakefile", true],
    ["mvn test", "pom.xml", true],
    ["git status", "package.json", false],
    ["npm test", "Makefile", false]
  ])("of %s are looked up in %s: %s", (line, file, expected) => assert.strictEqual(isLookedUp(line, file), expected))

  it.each([
    ["npm --prefix web test", ["web"], false],
    ["make -C lib all", ["lib"], false],
    ["yarn --cwd web test", ["web"], false],
    ["npm -w a test", [], true],
    ["npm test --workspaces", [], true],
    ["pnpm --filter a test", [], true],
    ["yarn workspace a test", [], true],
    ["turbo test", [], true],
    ["tar -C web -w", [], false],
    ["npm test", [], false]
  ])("are looked for in the folders of %s", (line, folders, inPackages) => {
    assert.deepInclude(namedIn(line), { folders, inPackages })
  })

  it("are read out of a manifest and out of another script", () => {
    assert.include(filesIn('{ "scripts": {\n "test": "node --test t/run.mjs"\n} }'), "t/run.mjs")
    assert.include(filesIn("all: x.c\n\tcc x.c\n\tsh gen.sh > out\n"), "gen.sh")
    assert.includeMembers(filesIn("include a.mk\n-include b.mk\n"), ["a.mk", "b.mk"])
    assert.deepStrictEqual([...scriptsInText("all:\n\t$(MAKE) -C sub all\n").folders], ["sub"])
    assert.notInclude(filesIn("all: x.c\n\tcc x.c\n"), "x.c")
  })
})

it.each([
  ["npm run lint", "npm --version"],
  [".venv/bin/python -m pytest -q", ".venv/bin/python -m pytest --version"],
  ["python -m unittest", "python --version"],
  ["go test ./...", "go version"],
  ["./gradlew test", "./gradlew --version"]
])("the program of %s is tried by %s", (run, trial) => assert.strictEqual(programTrial(run).join(" "), trial))
