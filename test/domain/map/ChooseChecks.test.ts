import { describe, expect, it } from "@effect/vitest"
import { checkText } from "../../../src/domain/checks/CheckOutcome.ts"
import { chooseChecks } from "../../../src/domain/map/ChooseChecks.ts"
import { projectCommands } from "../../../src/domain/map/MainFiles.ts"
import type { ProjectCommand } from "../../../src/domain/map/ProjectCommands.ts"

const npm = (folder = ""): ReadonlyArray<ProjectCommand> => {
  const from = `${folder}package.json`
  return [
    { run: "npm run lint", from, kind: "lint" },
    { run: "npm test", from, kind: "tests", narrow: { argv: ["npm", "test", "--"], of: "files" } },
    { run: "npm run typecheck", from, kind: "types" }
  ]
}
const go: ReadonlyArray<ProjectCommand> = [
  { run: "go test ./...", from: "go.mod", kind: "tests", narrow: { argv: ["go", "test"], of: "folders" } },
  { run: "go vet ./...", from: "go.mod", kind: "types" }
]
const tests = (run: string, from: string): ProjectCommand => ({ run, from, kind: "tests" })
const make = tests("make test", "Makefile")
const python: ProjectCommand = {
  ...tests("python -m pytest", "pyproject.toml"),
  narrow: { argv: ["python", "-m", "pytest"], of: "files" }
}

type Paths = ReadonlyArray<string>

const chosen = (commands: ReadonlyArray<ProjectCommand>, files: Paths, changed: Paths, importers?: () => Paths) =>
  chooseChecks({ files, commands }, changed, importers).map(checkText)

const whole = (narrow: ProjectCommand["narrow"]) => {
  const commands = [{ ...tests("npm test", "package.json"), narrow }]
  return chooseChecks({ files: ["a.js", "a.test.js"], commands }, ["a.js"])[0]?.whole
}

describe("the checks for changed files", () => {
  it("are the type check and then the tests that belong to them, or that import them, or that changed", () => {
    const files = ["src/a.ts", "test/a.test.ts", "test/b.test.ts", "test/c.test.ts"]
    const types = "npm run typecheck"
    expect(chosen(npm(), files, ["src/a.ts"])).toEqual([types, "npm test -- test/a.test.ts"])
    const imported = chosen(npm(), ["src/a.ts", ...files.slice(2)], ["src/a.ts", "test/b.test.ts"], () =>
      files.slice(3)
    )
    expect(imported).toEqual([types, "npm test -- test/c.test.ts test/b.test.ts"])
  })

  it.each([
    ["one file has none of its own", ["src/a.ts", "src/b.ts", "test/a.test.ts"], ["src/a.ts", "src/b.ts"]],
    ["one was removed", ["src/a.ts"], ["test/a.test.ts"]],
    ["one looks like an option", ["--config=x.test.ts"], ["--config=x.test.ts"]]
  ])("are all tests when %s", (_, files, changed) => expect(chosen(npm(), files, changed).at(-1)).toBe("npm test"))

  it("are the packages of Go that changed", () => {
    const files = ["a/a.go", "b/c/d.go", "m.go"]
    expect(chosen(go, files, files)).toEqual(["go vet ./...", "go test ./a ./b/c ."])
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
    const argv = ["node_modules/.bin/tsc", "--noEmit", "-p", "tsconfig.json"]
    expect(guess).toEqual({ argv, kind: "types", isGuess: true })
    expect(chosen(commands, ["a.js", "a.test.js", "tsconfig.json"], ["a.js"])).toEqual(["npm test -- a.test.js"])
  })

  it("prefer tests that need the least, and the target of make that runs the tests over one that builds them", () => {
    const others = ["npm run test:e2e", "npm run test:coverage"].map((run) => tests(run, "package.json"))
    expect(chosen([...others, ...npm()], ["src/a.ts"], ["src/a.ts"]).at(-1)).toBe("npm test")
    const text = ".PHONY: all shared tests\n\ntests: unit_test\n\ntest: tests\n\t./unit_test\n"
    const commands = projectCommands([{ path: "Makefile", text, files: new Set() }])
    expect(chosen(commands, ["a.c"], ["a.c"])).toEqual(["make test"])
  })

  it.each([
    [["./gradlew test", "mvn test"], "mvn test"],
    [["./gradlew test"], "./gradlew test"],
    [["gradle test", "mvn test"], "gradle test"],
    [["./mvnw test", "gradle test"], "gradle test"]
  ])("are of %j the one whose program is there, before a script that has to download it", (runs, expected) => {
    const commands = runs.map((run) => tests(run, run.includes("mvn") ? "pom.xml" : "build.gradle"))
    expect(chosen(commands, [], ["src/A.java"])).toEqual([expected])
  })

  it("say which command a person is asked about: the whole one, or the other form of it", () => {
    expect(whole({ argv: ["npm", "test", "--"], of: "files" })).toEqual(["npm", "test"])
    expect(whole({ argv: ["npx", "vitest", "run"], of: "files" })).toEqual(["npx", "vitest", "run"])
    expect(whole(undefined)).toBeUndefined()
  })
})

/** The test commands for changed files of a project with these manifests. */
const narrowed = (texts: Readonly<Record<string, string>>, others: Paths, changed: Paths) => {
  const files = [...Object.keys(texts), ...others]
  const commands = projectCommands(Object.entries(texts).map(([path, text]) => ({ path, text, files: new Set(files) })))
  return chooseChecks({ files, commands }, changed).flatMap(({ argv, kind }) =>
    kind === "tests" ? [argv.join(" ")] : []
  )
}

const pack = (test: string) => JSON.stringify({ scripts: { test } })
const crate = (name: string) => `cargo test --manifest-path ${name}/Cargo.toml`

describe("narrowed tests", () => {
  const files = ["test/till.test.ts", "src/till.ts", "src/shelf.ts", "test/shelf.test.ts"]
  const [one, two] = [["test/till.test.ts"], ["test/till.test.ts", "test/shelf.test.ts"]]

  const script = (text: string, changed: ReadonlyArray<string>) =>
    narrowed({ "package.json": pack(text) }, files, changed)

  it.each([
    ["vitest run", "npm test -- test/till.test.ts"],
    ["jest src test", "npx jest test/till.test.ts"],
    ["mocha --require ts-node/register 'test/**/*.ts'", "npx mocha --require ts-node/register test/till.test.ts"],
    ["node --test test/*.ts", "node --test test/till.test.ts"],
    ["node --import tsx --test", "npm test -- test/till.test.ts"],
    ["cross-env CI=1 vitest run", "npm test -- test/till.test.ts"],
    ["vitest run --coverage", "npx vitest run test/till.test.ts"],
    ["vitest --coverage.enabled=true --coverage.reporter=text", "npx vitest test/till.test.ts"],
    ["jest --coverage=true --ci", "npx jest --ci test/till.test.ts"],
    ["npx nyc mocha test", "npx mocha test/till.test.ts"],
    ["c8 node --test test/*.ts", "node --test test/till.test.ts"]
  ])("adds the tests of a changed file to %s", (text, expected) => {
    expect(script(text, ["src/till.ts"])).toEqual([expected])
  })

  it.each([
    ["vitest", "pnpm test test/till.test.ts"],
    ["vitest src", "pnpm exec vitest test/till.test.ts"]
  ])("uses the way of the package manager for %s", (text, expected) => {
    expect(narrowed({ "package.json": pack(text) }, [...files, "pnpm-lock.yaml"], ["src/till.ts"])).toEqual([expected])
  })

  it.each(["tsc && vitest run", "node test.js", "eslint ."])("does not narrow %s", (text) => {
    expect(script(text, ["src/till.ts"])).toEqual(["npm test"])
  })

  it.each([
    [["api/pyproject.toml"], ["api/a.py", "api/tests/test_a.py"], 1, ["python -m pytest tests/test_a.py"]],
    [["setup.py"], ["a.py", "tests/__init__.py", "tests/test_a.py"], 1, ["python -m unittest tests/test_a.py"]],
    [["go.mod"], ["till.go", "cmd/a/main.go"], 2, ["go test . ./cmd/a"]],
    [["go.mod"], ["README.md"], 1, []],
    [["Cargo.toml", "a/Cargo.toml", "b/Cargo.toml"], ["a/src/lib.rs", "b/src/lib.rs"], 2, ["a", "b"].map(crate)]
  ])("names test files of Python, packages of Go and manifests of Rust: %j", (manifests, others, changed, expected) => {
    const texts = { "go.mod": "module shop", "Cargo.toml": "[workspace]\n" } as Readonly<Record<string, string>>
    const textOf = (path: string) =>
      path === "api/pyproject.toml" ? "[tool.pytest.ini_options]\n" : (texts[path] ?? "")
    const named = Object.fromEntries(manifests.map((path) => [path, textOf(path)]))
    expect(narrowed(named, others, others.slice(0, changed))).toEqual(expected)
  })

  it("names the classes of tests of Java, which Gradle has in one project only", () => {
    const sources = ["src/main/java/a/Slug.java", "src/test/java/a/SlugTest.java", "src/test/java/a/PageTests.java"]
    const java = (path: string, text = "") =>
      narrowed({ [path]: text }, sources, ["src/main/java/a/Slug.java", sources[2]!])
    expect(java("pom.xml")).toEqual(["mvn test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=SlugTest,PageTests"])
    const gradle = ["gradle test --tests SlugTest --tests PageTests"]
    expect(java("build.gradle")).toEqual(gradle)
    expect(java("settings.gradle", "rootProject.name = 'a'\n")).toEqual(gradle)
    expect(java("settings.gradle.kts", 'include(":a")\n')).toEqual(["gradle test"])
    expect(narrowed({ "pom.xml": "" }, sources, ["src/main/java/a/Other.java"])).toEqual(["mvn test"])
  })

  it.each([
    ["vitest run", one, "npm test -- --reporter=verbose test/till.test.ts"],
    ["vitest run --reporter=dot", one, "npm test -- test/till.test.ts"],
    ["jest", one, "npm test -- test/till.test.ts"],
    ["jest", two, "npm test -- --verbose test/till.test.ts test/shelf.test.ts"],
    ["node --test test/*.ts", two, "node --test test/till.test.ts test/shelf.test.ts"]
  ])("name the tests that they run where tests changed, if %s does not", (text, changed, expected) => {
    expect(script(text, changed)).toEqual([expected])
  })

  it.each([
    ["pytest.ini", "", "tests/test_a.py", "python -m pytest -rfEp tests/test_a.py"],
    ["setup.py", "", "tests/test_a.py", "python -m unittest -v tests/test_a.py"],
    ["go.mod", "module a", "a/a_test.go", "go test -v ./a"]
  ])("name their tests in a project of %s", (path, text, changed, expected) => {
    expect(narrowed({ [path]: text }, ["tests/__init__.py", changed], [changed])).toEqual([expected])
  })

  it.each([
    ["Cargo.toml", "", "src/lib.rs", "cargo check"],
    ["go.mod", "module a", "a.go", "go vet ./..."],
    ["pyproject.toml", "[tool.pytest.ini_options]\n[tool.mypy]\n", "a.py", "mypy ."],
    ["pyproject.toml", "[tool.pytest.ini_options]\n[tool.pyright]\n", "a.py", "pyright"],
    ["package.json", JSON.stringify({ scripts: { test: "jest", types: "tsc" } }), "a.ts", "npm run types"]
  ])("have the type check of the project beside them: %s", (path, text, changed, expected) => {
    const files = [path, changed]
    const commands = projectCommands([{ path, text, files: new Set(files) }])
    const checks = chooseChecks({ files, commands }, [changed])
    expect(checks.map(({ kind }) => kind)).toEqual(["types", "tests"])
    expect(checks.slice(0, 1).map(checkText)).toEqual([expected])
  })

  it("belong to the nearest package that has tests, and type checks to the nearest that has them", () => {
    const texts = {
      "package.json": JSON.stringify({ scripts: { test: "run-all", typecheck: "tsc -b" } }),
      "packages/web/package.json": pack("vitest run")
    }
    const paths = Object.keys(texts)
    const commands = projectCommands(
      Object.entries(texts).map(([path, text]) => ({ path, text, files: new Set(paths) }))
    )
    expect(chosen(commands, paths, ["packages/web/a.ts"])).toEqual(["npm run typecheck", "npm test (in packages/web)"])
    expect(chosen(commands, paths, ["packages/other/a.ts"])).toEqual(["npm run typecheck", "npm test"])
  })
})
