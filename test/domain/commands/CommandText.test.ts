import { assert, describe, it } from "@effect/vitest"
import {
  commandProblem,
  commandText,
  type CommandLine,
  programTrial,
  scriptsInText,
  scriptsOfCommand
} from "../../../src/domain/commands/CommandText.ts"
import { decide } from "../../../src/domain/permissions/Decision.ts"
import { parseRule } from "../../../src/domain/permissions/Permission.ts"
import * as Result from "effect/Result"

const verdict = (rule: string, argv: CommandLine) =>
  decide([Result.getOrThrow(parseRule("allow", `run_command:${rule}`))], {
    tool: "run_command",
    risk: "high",
    targets: [{ kind: "other", canonical: commandText(argv) }]
  }).verdict

describe("the text of a command", () => {
  it("joins plain words by blanks and puts every other word into quotes", () => {
    assert.strictEqual(commandText(["npm", "run", "a:b", "--x=1"]), "npm run a:b --x=1")
    assert.strictEqual(
      commandText(["echo", "a b", "", "*", "$(id)", 'a"b', "ä\n"]),
      'echo "a b" "" "*" "$(id)" "a\\"b" "ä\\n"'
    )
  })

  it("differs for different commands", () => {
    const words = ["a", "b", "a b", '"a', 'b"', '"a b"', "", " ", "\\", "a\nb"]
    const short = words.map((one): CommandLine => [one, "x"])
    const long = words.flatMap((one) => words.map((two): CommandLine => ["x", one, two]))
    const commands = [...short, ...long]
    assert.strictEqual(new Set(commands.map(commandText)).size, commands.length)
  })

  it("is what rules are compared with", () => {
    assert.strictEqual(verdict("npm test", ["npm", "test"]), "allow")
    assert.strictEqual(verdict("npm test", ["npm", "test", "--", "x"]), "ask")
    assert.strictEqual(verdict("npm test", ["npm test"]), "ask")
    assert.strictEqual(verdict("npm run *", ["npm", "run", "build"]), "allow")
    assert.strictEqual(verdict("npm run *", ["npm", "run", "src/build"]), "ask")
    assert.strictEqual(verdict("npm run **", ["npm", "run", "src/build"]), "allow")
    assert.strictEqual(verdict("npm test", ["npm", "test", "&&", "curl"]), "ask")
  })
})

describe("a command", () => {
  const problems: ReadonlyArray<[name: string, argv: CommandLine, problem: string | undefined]> = [
    ["may be of 256 words", ["a", ...Array.from({ length: 255 }, () => "b")], undefined],
    [
      "may not be of more",
      ["a", ...Array.from({ length: 256 }, () => "b")],
      "The command has 257 words; at most 256 are taken. Make several calls."
    ],
    [
      "may not be larger than 32 KiB",
      ["a", "x".repeat(32_768)],
      "The command has 32771 bytes; at most 32768 are taken. Put long text into a file."
    ],
    ["has a program", ["  ", "a"], "The program is empty. Name it as the first element of argv."],
    ["does not begin with an option", ["-rf"], 'The program "-rf" looks like an option. Name the program first.'],
    ["holds no NUL", ["a", "b\0c"], "Element 1 of argv holds a NUL character or half a character. Remove it."],
    [
      "holds whole characters",
      ["a", "b", "\udc00"],
      "Element 2 of argv holds a NUL character or half a character. Remove it."
    ]
  ]
  for (const [name, argv, problem] of problems) {
    it(name, () => assert.strictEqual(commandProblem(argv), problem))
  }
})

const runnersOf = (argv: ReadonlyArray<string>, name: string): boolean =>
  scriptsOfCommand(argv).definitions.some((pattern) => pattern.test(name))

describe("the scripts that a command names", () => {
  const named: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [
      ["sh", "build.sh"],
      ["sh", "build.sh"]
    ],
    [
      ["python3.12", "-X", "dev", "tools/x.py"],
      ["python3.12", "dev", "tools/x.py"]
    ],
    [
      ["node", "--import=./setup.js", "a.js"],
      ["node", "./setup.js", "a.js"]
    ],
    [["./run", "data.csv"], ["./run"]],
    [["scripts/run", "data.csv"], ["scripts/run"]],
    [
      ["timeout", "5", "sh", "x.sh"],
      ["timeout", "5", "sh", "x.sh"]
    ],
    [
      ["bash", "-c", "cd x && ./y.sh"],
      ["bash", "cd x && ./y.sh", "./y.sh"]
    ],
    [["wc", "-l", "data.csv"], []],
    [["eslint", "src/a.ts", "--config", "./own.js"], ["./own.js"]],
    [["git", "status"], []],
    [["make", "-f", "", "all"], []],
    [["make", "-f", "ci.mk", "all"], ["ci.mk"]],
    [["make", "-fci.mk"], ["ci.mk"]],
    [["make", "--file=ci.mk"], ["ci.mk"]],
    [["just", "--justfile", "ci/just"], ["ci/just"]],
    [["cargo", "test", "--manifest-path", "a/Cargo.toml"], ["a/Cargo.toml"]],
    [["grep", "-f", "words.txt"], []]
  ]
  for (const [argv, expected] of named) {
    it(`are among its words: ${argv.join(" ")}`, () => assert.deepStrictEqual(scriptsOfCommand(argv).files, expected))
  }

  const runners: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["npm", "test"], "package.json"],
    [["npx", "vitest"], ".npmrc"],
    [["sh", "-c", "cd a; pnpm run x"], "package.json"],
    [["/usr/bin/make", "all"], "Makefile"],
    [["just", "x"], "justfile"],
    [["./gradlew", "test"], "build.gradle.kts"],
    [["cargo", "build"], "build.rs"],
    [["pytest"], "conftest.py"],
    [["tox"], "tox.ini"],
    [["composer", "test"], "composer.json"],
    [["bundle", "exec", "rake"], "Rakefile"],
    [["mvn", "test"], "pom.xml"]
  ]
  for (const [argv, file] of runners) {
    it(`are looked up in ${file} by ${argv.join(" ")}`, () => assert.isTrue(runnersOf(argv, file)))
  }

  it("are not looked up by others", () => {
    assert.isFalse(runnersOf(["git", "status"], "package.json"))
    assert.isFalse(runnersOf(["npm", "test"], "Makefile"))
  })

  const folders: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>, boolean]> = [
    [["npm", "--prefix", "web", "test"], ["web"], false],
    [["npm", "--prefix=web", "test"], ["web"], false],
    [["make", "-C", "lib", "all"], ["lib"], false],
    [["yarn", "--cwd", "web", "test"], ["web"], false],
    [["npm", "-w", "a", "test"], [], true],
    [["npm", "test", "--workspaces"], [], true],
    [["npm", "--workspace=a", "test"], [], true],
    [["pnpm", "--filter", "a", "test"], [], true],
    [["pnpm", "-r", "test"], [], true],
    [["yarn", "workspace", "a", "test"], [], true],
    [["turbo", "test"], [], true],
    [["tar", "-C", "web", "-w"], [], false],
    [["npm", "test"], [], false]
  ]
  for (const [argv, expected, inPackages] of folders) {
    it(`are looked for in the folders of ${argv.join(" ")}`, () => {
      const named = scriptsOfCommand(argv)
      assert.deepStrictEqual([named.folders, named.inPackages], [expected, inPackages])
    })
  }

  it("are read out of a manifest and out of another script", () => {
    assert.includeMembers(
      [...scriptsInText('{ "scripts": {\n "test": "node --test t/run.mjs"\n} }').files],
      ["t/run.mjs"]
    )
    assert.includeMembers([...scriptsInText("all: x.c\n\tcc x.c\n\tsh gen.sh > out\n").files], ["gen.sh"])
    assert.includeMembers([...scriptsInText("include a.mk\n-include b.mk\n").files], ["a.mk", "b.mk"])
    assert.deepStrictEqual([...scriptsInText("all:\n\t$(MAKE) -C sub all\n").folders], ["sub"])
    assert.notInclude(scriptsInText("all: x.c\n\tcc x.c\n").files, "x.c")
  })
})

describe("programTrial", () => {
  it("starts the same program, and only asks it for its version", () => {
    const trials = {
      "npm run lint": "npm --version",
      ".venv/bin/python -m pytest -q": ".venv/bin/python -m pytest --version",
      "python -m unittest": "python --version",
      "go test ./...": "go version",
      "./gradlew test": "./gradlew --version"
    }
    for (const [run, trial] of Object.entries(trials)) assert.strictEqual(programTrial(run).join(" "), trial)
  })
})
