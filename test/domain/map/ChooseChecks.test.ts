import { describe, expect, it } from "@effect/vitest"
import { checkText } from "../../../src/domain/checks/CheckOutcome.ts"
import { chooseChecks, type KnownCommand } from "../../../src/domain/map/ChooseChecks.ts"

const npm = (folder = ""): ReadonlyArray<KnownCommand> => [
  { run: "npm run lint", from: `${folder}package.json`, kind: "lint" },
  {
    run: "npm test",
    from: `${folder}package.json`,
    kind: "tests",
    narrow: { argv: ["npm", "test", "--"], of: "files" }
  },
  { run: "npm run typecheck", from: `${folder}package.json`, kind: "types" }
]
const go: ReadonlyArray<KnownCommand> = [
  { run: "go test ./...", from: "go.mod", kind: "tests", narrow: { argv: ["go", "test"], of: "folders" } },
  { run: "go vet ./...", from: "go.mod", kind: "types" }
]
const make: KnownCommand = { run: "make test", from: "Makefile", kind: "tests" }
const python: KnownCommand = {
  run: "python -m pytest",
  from: "pyproject.toml",
  kind: "tests",
  narrow: { argv: ["python", "-m", "pytest"], of: "files" }
}

const chosen = (
  commands: ReadonlyArray<KnownCommand>,
  files: ReadonlyArray<string>,
  changed: ReadonlyArray<string>,
  importers?: (path: string) => ReadonlyArray<string>
) => chooseChecks({ files, commands }, changed, importers).map(checkText)

describe("the checks for changed files", () => {
  it("are the type check and then the tests that belong to them", () => {
    expect(chosen(npm(), ["src/a.ts", "test/a.test.ts", "test/b.test.ts"], ["src/a.ts"])).toEqual([
      "npm run typecheck",
      "npm test -- test/a.test.ts"
    ])
  })

  it("are the tests themselves, where these changed, and those that import a file", () => {
    const files = ["src/a.ts", "test/b.test.ts", "test/c.test.ts"]
    expect(chosen(npm(), files, ["src/a.ts", "test/b.test.ts"], () => ["test/c.test.ts"])).toEqual([
      "npm run typecheck",
      "npm test -- test/c.test.ts test/b.test.ts"
    ])
  })

  it("are all tests when one file has none of its own", () => {
    const files = ["src/a.ts", "src/b.ts", "test/a.test.ts"]
    expect(chosen(npm(), files, ["src/a.ts", "src/b.ts"]).at(-1)).toBe("npm test")
  })

  it("do not name a test that was removed, nor one that looks like an option", () => {
    expect(chosen(npm(), ["src/a.ts"], ["test/a.test.ts"]).at(-1)).toBe("npm test")
    expect(chosen(npm(), ["--config=x.test.ts"], ["--config=x.test.ts"]).at(-1)).toBe("npm test")
  })

  it("are the packages of Go that changed, and all of them for other files", () => {
    expect(chosen(go, ["a/a.go", "b/c/d.go", "m.go"], ["a/a.go", "b/c/d.go", "m.go"])).toEqual([
      "go vet ./...",
      "go test ./a ./b/c ."
    ])
  })

  it("are those of the language of a file, and of the part of the project that it is in", () => {
    const commands = [...npm(), ...npm("packages/a/"), python, make]
    const files = ["packages/a/src/x.ts", "packages/a/src/x.test.ts", "tests/test_y.py", "y.py", "z.c"]
    expect(chosen(commands, files, ["packages/a/src/x.ts"])).toEqual([
      "npm run typecheck (in packages/a)",
      "npm test -- src/x.test.ts (in packages/a)"
    ])
    expect(chosen(commands, files, ["y.py"])).toEqual(["python -m pytest tests/test_y.py"])
    expect(chosen(commands, files, ["z.c"])).toEqual(["make test"])
    expect(chosen(commands, files, ["y.py", "z.c"])).toEqual(["python -m pytest tests/test_y.py", "make test"])
  })

  it("are none for text that is for people, and where nothing is known", () => {
    expect(chosen(npm(), ["README.md"], ["README.md"])).toEqual([])
    expect(chosen([], ["src/a.ts"], ["src/a.ts"])).toEqual([])
    expect(chosen([{ ...make, prepare: ["cmake -B build"] }], ["a.c"], ["a.c"])).toEqual([])
  })

  it("are the compiler of TypeScript where no script names it", () => {
    const commands = npm().slice(0, 2)
    const [guess] = chooseChecks({ files: ["a.ts", "a.test.ts", "tsconfig.json"], commands }, ["a.ts"])
    expect(guess).toEqual({
      argv: ["node_modules/.bin/tsc", "--noEmit", "-p", "tsconfig.json"],
      kind: "types",
      isGuess: true
    })
    expect(chosen(commands, ["a.js", "a.test.js", "tsconfig.json"], ["a.js"])).toEqual(["npm test -- a.test.js"])
  })

  it("prefer tests that need the least", () => {
    const others = ["npm run test:e2e", "npm run test:coverage"].map((run) => ({
      run,
      from: "package.json",
      kind: "tests"
    }))
    expect(chosen([...others, ...npm()], ["src/a.ts"], ["src/a.ts"]).at(-1)).toBe("npm test")
  })

  it("say which command a person is asked about: the whole one, or the other form of it", () => {
    const files = ["a.js", "a.test.js"]
    const whole = (narrow: KnownCommand["narrow"]) =>
      chooseChecks({ files, commands: [{ run: "npm test", from: "package.json", kind: "tests", narrow }] }, ["a.js"])[0]
        ?.whole
    expect(whole({ argv: ["npm", "test", "--"], of: "files" })).toEqual(["npm", "test"])
    expect(whole({ argv: ["npx", "vitest", "run"], of: "files" })).toEqual(["npx", "vitest", "run"])
    expect(whole(undefined)).toBeUndefined()
  })
})
