import { describe, expect, it } from "@effect/vitest"
import { projectCommands } from "../../../src/domain/map/MainFiles.ts"
import { commandsNear, narrowedCommands, testsOf } from "../../../src/domain/map/NarrowestTests.ts"

const commandsOfProject = (texts: Readonly<Record<string, string>>, others: ReadonlyArray<string> = []) => {
  const files = new Set([...Object.keys(texts), ...others])
  const commands = projectCommands(Object.entries(texts).map(([path, text]) => ({ path, text, files })))
  return { commands, files }
}

const narrowed = (
  texts: Readonly<Record<string, string>>,
  others: ReadonlyArray<string>,
  changed: ReadonlyArray<string>
) => {
  const { commands, files } = commandsOfProject(texts, others)
  const [command] = commandsNear(commands, "tests", changed[0] ?? "")
  return command === undefined ? [] : narrowedCommands(command, changed, files).map((words) => words.join(" "))
}

const pack = (test: string) => JSON.stringify({ scripts: { test } })

describe("testsOf", () => {
  it.each([
    ["src/a/index.ts", ["src/a/index.test.ts", "src/b/index.test.ts"], ["src/a/index.test.ts"]],
    ["src/till.ts", ["test/till.spec.js", "test/other.spec.js"], ["test/till.spec.js"]],
    ["lib/till.js", ["lib/__tests__/till.js"], ["lib/__tests__/till.js"]],
    ["shop/till.py", ["tests/test_till.py", "tests/test_tills.py"], ["tests/test_till.py"]],
    ["lib/till.rb", ["spec/till_spec.rb"], ["spec/till_spec.rb"]],
    ["src/main/java/Till.java", ["src/test/java/TillTest.java"], ["src/test/java/TillTest.java"]],
    ["lib/till.ex", ["test/till_test.exs"], ["test/till_test.exs"]],
    ["tests/test_till.py", [], ["tests/test_till.py"]],
    ["src/till.ts", ["tests/test_till.py"], []],
    ["src/contest.ts", ["src/con.test.ts"], []]
  ])("those of %s among %j are %j", (file, files, expected) => {
    expect(testsOf(file, files)).toEqual(expected)
  })
})

describe("narrowedCommands", () => {
  const tests = ["test/till.test.ts", "src/till.ts", "src/shelf.ts", "test/shelf.test.ts"]

  it.each([
    ["vitest run", "npm test -- test/till.test.ts"],
    ["jest --ci", "npm test -- test/till.test.ts"],
    ["jest src test", "npx jest test/till.test.ts"],
    ["mocha --require ts-node/register 'test/**/*.ts'", "npx mocha --require ts-node/register test/till.test.ts"],
    ["node --test test/*.ts", "node --test test/till.test.ts"],
    ["node --import tsx --test", "npm test -- test/till.test.ts"],
    ["cross-env CI=1 vitest run", "npm test -- test/till.test.ts"]
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

  it.each(["tsc && vitest run", "nyc mocha test", "node test.js", "eslint ."])("does not narrow %s", (script) => {
    expect(narrowed({ "package.json": pack(script) }, tests, ["src/till.ts"])).toEqual([])
  })

  it("runs all tests when a changed file has none of its own", () => {
    const texts = { "package.json": pack("vitest run") }
    expect(narrowed(texts, tests, ["src/till.ts", "src/new.ts"])).toEqual([])
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
})

describe("commandsNear", () => {
  it("takes the commands of the nearest package that has one of this kind", () => {
    const { commands } = commandsOfProject({
      "package.json": JSON.stringify({ scripts: { test: "run-all", typecheck: "tsc -b" } }),
      "packages/web/package.json": pack("vitest run")
    })
    const near = (kind: "tests" | "types", file: string) =>
      commandsNear(commands, kind, file).map(({ from, run }) => `${from}: ${run}`)
    expect(near("tests", "packages/web/src/a.ts")).toEqual(["packages/web/package.json: npm test"])
    expect(near("types", "packages/web/src/a.ts")).toEqual(["package.json: npm run typecheck"])
    expect(near("tests", "packages/other/a.ts")).toEqual(["package.json: npm test"])
  })
})
