import { describe, expect, it } from "@effect/vitest"
import { checkText } from "../../../src/domain/checks/CheckOutcome.ts"
import { chooseChecks } from "../../../src/domain/map/ChooseChecks.ts"
import { projectCommands } from "../../../src/domain/map/MainFiles.ts"
import type { ProjectCommand } from "../../../src/domain/map/ProjectCommands.ts"

const npm = (folder = ""): ReadonlyArray<ProjectCommand> => [
  { run: "npm run lint", from: `${folder}package.json`, kind: "lint" },
  {
    run: "npm test",
    from: `${folder}package.json`,
    kind: "tests",
    narrow: { argv: ["npm", "test", "--"], of: "files" }
  },
  { run: "npm run typecheck", from: `${folder}package.json`, kind: "types" }
]
const go: ReadonlyArray<ProjectCommand> = [
  { run: "go test ./...", from: "go.mod", kind: "tests", narrow: { argv: ["go", "test"], of: "folders" } },
  { run: "go vet ./...", from: "go.mod", kind: "types" }
]
const make: ProjectCommand = { run: "make test", from: "Makefile", kind: "tests" }
const python: ProjectCommand = {
  run: "python -m pytest",
  from: "pyproject.toml",
  kind: "tests",
  narrow: { argv: ["python", "-m", "pytest"], of: "files" }
}

const chosen = (
  commands: ReadonlyArray<ProjectCommand>,
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
      kind: "tests" as const
    }))
    expect(chosen([...others, ...npm()], ["src/a.ts"], ["src/a.ts"]).at(-1)).toBe("npm test")
  })

  it("are the target of make that runs the tests, not the one that builds them", () => {
    const text = ".PHONY: all shared tests\n\ntests: unit_test\n\ntest: tests\n\t./unit_test\n"
    const commands = projectCommands([{ path: "Makefile", text, files: new Set() }])
    expect(chosen(commands, ["a.c"], ["a.c"])).toEqual(["make test"])
  })

  it("are those of a program that is there, before a script that has to download it", () => {
    const wrapper: ProjectCommand = { run: "./gradlew test", from: "build.gradle", kind: "tests" }
    const maven: ProjectCommand = { run: "mvn test", from: "pom.xml", kind: "tests" }
    expect(chosen([wrapper, maven], [], ["src/A.java"])).toEqual(["mvn test"])
    expect(chosen([wrapper], [], ["src/A.java"])).toEqual(["./gradlew test"])
    expect(chosen([{ ...wrapper, run: "gradle test" }, maven], [], ["src/A.java"])).toEqual(["gradle test"])
    expect(
      chosen(
        [
          { ...maven, run: "./mvnw test" },
          { ...wrapper, run: "gradle test" }
        ],
        [],
        ["A.java"]
      )
    ).toEqual(["gradle test"])
  })

  it("say which command a person is asked about: the whole one, or the other form of it", () => {
    const files = ["a.js", "a.test.js"]
    const whole = (narrow: ProjectCommand["narrow"]) =>
      chooseChecks({ files, commands: [{ run: "npm test", from: "package.json", kind: "tests", narrow }] }, ["a.js"])[0]
        ?.whole
    expect(whole({ argv: ["npm", "test", "--"], of: "files" })).toEqual(["npm", "test"])
    expect(whole({ argv: ["npx", "vitest", "run"], of: "files" })).toEqual(["npx", "vitest", "run"])
    expect(whole(undefined)).toBeUndefined()
  })
})

/** The test commands for changed files of a project with these manifests. */
const narrowed = (
  texts: Readonly<Record<string, string>>,
  others: ReadonlyArray<string>,
  changed: ReadonlyArray<string>
) => {
  const files = [...Object.keys(texts), ...others]
  const commands = projectCommands(Object.entries(texts).map(([path, text]) => ({ path, text, files: new Set(files) })))
  return chooseChecks({ files, commands }, changed).flatMap(({ argv, kind }) =>
    kind === "tests" ? [argv.join(" ")] : []
  )
}

const pack = (test: string) => JSON.stringify({ scripts: { test } })

describe("narrowed tests", () => {
  const tests = ["test/till.test.ts", "src/till.ts", "src/shelf.ts", "test/shelf.test.ts"]

  it.each([
    ["vitest run", "npm test -- test/till.test.ts"],
    ["jest --ci", "npm test -- test/till.test.ts"],
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
  ])("adds the tests of a changed file to %s", (script, expected) => {
    expect(narrowed({ "package.json": pack(script) }, tests, ["src/till.ts"])).toEqual([expected])
  })

  it("uses the way of the package manager", () => {
    const files = [...tests, "pnpm-lock.yaml"]
    expect(narrowed({ "package.json": pack("vitest") }, files, ["src/till.ts"])).toEqual([
      "pnpm test test/till.test.ts"
    ])
    expect(narrowed({ "package.json": pack("vitest src") }, files, ["src/till.ts"])).toEqual([
      "pnpm exec vitest test/till.test.ts"
    ])
  })

  it.each(["tsc && vitest run", "node test.js", "eslint ."])("does not narrow %s", (script) => {
    expect(narrowed({ "package.json": pack(script) }, tests, ["src/till.ts"])).toEqual(["npm test"])
  })

  it("runs all tests when a changed file has none of its own", () => {
    const texts = { "package.json": pack("vitest run") }
    expect(narrowed(texts, tests, ["src/till.ts", "src/new.ts"])).toEqual(["npm test"])
    expect(narrowed(texts, tests, ["src/till.ts", "src/shelf.ts"])).toEqual([
      "npm test -- test/till.test.ts test/shelf.test.ts"
    ])
  })

  it("names test files of Python, packages of Go and manifests of Rust", () => {
    const python = { "api/pyproject.toml": "[tool.pytest.ini_options]\n" }
    expect(narrowed(python, ["api/shop/till.py", "api/tests/test_till.py"], ["api/shop/till.py"])).toEqual([
      "python -m pytest tests/test_till.py"
    ])
    expect(narrowed({ "setup.py": "" }, ["tests/__init__.py", "tests/test_till.py", "till.py"], ["till.py"])).toEqual([
      "python -m unittest tests/test_till.py"
    ])
    const go = { "go.mod": "module shop" }
    expect(narrowed(go, ["till.go", "cmd/a/main.go"], ["till.go", "cmd/a/main.go", "cmd/a/b.go"])).toEqual([
      "go test . ./cmd/a"
    ])
    expect(narrowed(go, ["README.md"], ["README.md"])).toEqual([])
    const cargo = { "Cargo.toml": "[workspace]\n", "crates/a/Cargo.toml": "", "crates/b/Cargo.toml": "" }
    expect(narrowed(cargo, [], ["crates/a/src/lib.rs", "crates/b/src/lib.rs"])).toEqual([
      "cargo test --manifest-path crates/a/Cargo.toml",
      "cargo test --manifest-path crates/b/Cargo.toml"
    ])
  })

  it("names the classes of tests of Java, which Gradle has in one project only", () => {
    const files = ["src/main/java/a/Slug.java", "src/test/java/a/SlugTest.java", "src/test/java/a/PageTests.java"]
    const changed = [files[0] ?? "", files[2] ?? ""]
    const java = (texts: Readonly<Record<string, string>>, others: ReadonlyArray<string> = []) =>
      narrowed(texts, [...files, ...others], changed)
    const lenient = "-Dsurefire.failIfNoSpecifiedTests=false"
    expect(java({ "pom.xml": "" })).toEqual([`mvn test ${lenient} -Dtest=SlugTest,PageTests`])
    expect(java({ "build.gradle": "" })).toEqual(["gradle test --tests SlugTest --tests PageTests"])
    expect(java({ "settings.gradle": "rootProject.name = 'a'\n" })).toEqual([
      "gradle test --tests SlugTest --tests PageTests"
    ])
    expect(java({ "settings.gradle.kts": 'include(":a")\n' })).toEqual(["gradle test"])
    expect(narrowed({ "pom.xml": "" }, files, ["src/main/java/a/Other.java"])).toEqual(["mvn test"])
  })

  it("name the tests that they run where tests changed, if their runner does not do that by itself", () => {
    const script = (text: string, changed: ReadonlyArray<string>) =>
      narrowed({ "package.json": pack(text) }, tests, changed)
    const [one, two] = [["test/till.test.ts"], ["test/till.test.ts", "test/shelf.test.ts"]]
    expect(script("vitest run", one)).toEqual(["npm test -- --reporter=verbose test/till.test.ts"])
    expect(script("vitest run --reporter=dot", one)).toEqual(["npm test -- test/till.test.ts"])
    expect(script("jest", one)).toEqual(["npm test -- test/till.test.ts"])
    expect(script("jest", two)).toEqual(["npm test -- --verbose test/till.test.ts test/shelf.test.ts"])
    expect(script("node --test test/*.ts", two)).toEqual(["node --test test/till.test.ts test/shelf.test.ts"])
    const python = (texts: Readonly<Record<string, string>>) =>
      narrowed(texts, ["tests/__init__.py", "tests/test_a.py"], ["tests/test_a.py"])
    expect(python({ "pytest.ini": "" })).toEqual(["python -m pytest -rfEp tests/test_a.py"])
    expect(python({ "setup.py": "" })).toEqual(["python -m unittest -v tests/test_a.py"])
    expect(narrowed({ "go.mod": "module a" }, ["a/a_test.go"], ["a/a_test.go"])).toEqual(["go test -v ./a"])
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
    const commands = projectCommands(
      Object.entries(texts).map(([path, text]) => ({ path, text, files: new Set(Object.keys(texts)) }))
    )
    const near = (path: string) => chosen(commands, Object.keys(texts), [path])
    expect(near("packages/web/a.ts")).toEqual(["npm run typecheck", "npm test (in packages/web)"])
    expect(near("packages/other/a.ts")).toEqual(["npm run typecheck", "npm test"])
  })
})
