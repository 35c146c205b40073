import { assert, describe, it } from "@effect/vitest"
import { scriptsInText, scriptsOfCommand } from "../../../src/domain/commands/CommandText.ts"

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
    [["git", "status"], []]
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

  it("are read out of a manifest and out of another script", () => {
    assert.includeMembers(
      [...scriptsInText('{ "scripts": {\n "test": "node --test t/run.mjs"\n} }').files],
      ["t/run.mjs"]
    )
    assert.includeMembers([...scriptsInText("all: x.c\n\tcc x.c\n\tsh gen.sh > out\n").files], ["gen.sh"])
    assert.notInclude(scriptsInText("all: x.c\n\tcc x.c\n").files, "x.c")
  })
})
