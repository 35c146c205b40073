import { describe, expect, it } from "@effect/vitest"
import {
  jsonScripts,
  packageEntries,
  recipeTargets,
  runnableCommands
} from "../../../src/domain/map/ProjectCommands.ts"

const scripts = (path: string, manifest: unknown, files: ReadonlyArray<string> = []) => {
  const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest)
  return jsonScripts({ path, text, files: new Set(files) }).map(({ does, run }) => `${run} = ${does}`)
}

const runsOf = (...given: Parameters<typeof scripts>) => scripts(...given).map((line) => line.split(" = ")[0])

/** What can be run of a script for tests on a machine without pnpm. */
const here = (script: string) => {
  const text = JSON.stringify({ packageManager: "pnpm@9.1.0", scripts: { test: script } })
  const commands = jsonScripts({ path: "package.json", text, files: new Set<string>() })
  return runnableCommands(commands, (program) => program !== "pnpm").map(({ does, run }) =>
    does === undefined ? run : `${run} = ${does}`
  )
}

describe("jsonScripts", () => {
  it("names the scripts of a package without those that run by themselves", () => {
    const own = { prepack: "x", postinstall: "x", prepare: "x", pretest: "x" }
    const others = { test: "node --test", "build:all": "tsc -b", preview: "serve", posters: "draw" }
    expect(scripts("package.json", { scripts: { ...own, ...others } })).toEqual([
      "npm test = node --test",
      "npm run build:all = tsc -b",
      "npm run preview = serve",
      "npm run posters = draw"
    ])
  })

  it.each([
    ["package.json", ["pnpm-lock.yaml"], {}, "pnpm test, pnpm run lint"],
    ["package.json", ["yarn.lock"], {}, "yarn test, yarn run lint"],
    ["package.json", ["bun.lock"], {}, "bun run test, bun run lint"],
    ["a/package.json", ["yarn.lock", "a/package-lock.json"], {}, "npm test, npm run lint"],
    ["a/package.json", ["yarn.lock"], {}, "yarn test, yarn run lint"],
    ["package.json", ["yarn.lock"], { packageManager: "pnpm@9.1.0" }, "pnpm test, pnpm run lint"]
  ])("takes the package manager of the manifest or the nearest lock file: %s, %j", (path, files, more, runs) => {
    expect(runsOf(path, { scripts: { test: "t", lint: "l" }, ...more }, files).join(", ")).toBe(runs)
  })

  it("runs the tests of a script that calls a missing package manager by themselves", () => {
    expect(here("pnpm lint && vitest run --typecheck")).toEqual(["npx vitest run --typecheck"])
    expect(here("vitest run")).toEqual(["npm test = vitest run"])
    expect(here("pnpm lint && pnpm other")).toEqual([])
    expect(here("pnpm lint && vitest run && jest")).toEqual([])
  })

  it("reads composer.json and deno.jsonc", () => {
    const composer = { "post-install-cmd": "x", test: ["@lint", "phpunit"], lint: "phpcs" }
    expect(scripts("composer.json", { scripts: composer })).toEqual([
      "composer run test = @lint && phpunit",
      "composer run lint = phpcs"
    ])
    const deno = '{ // tasks\n "tasks": { "check": "deno check .", "dev": { "command": "deno run a.ts" }, } }'
    expect(scripts("deno.jsonc", deno)).toEqual([
      "deno task check = deno check .",
      "deno task dev = deno run a.ts",
      "deno lint = undefined"
    ])
  })

  const devDependencies = { typescript: "5", vitest: "4" }
  const placeholder = { scripts: { test: 'echo "Error: no test specified" && exit 1' } }
  const written = { scripts: { typecheck: "tsc", test: "vitest" } }
  it.each([
    ["package.json", { devDependencies, ...placeholder }, ["tsconfig.json"], "npx tsc --noEmit, npx vitest run"],
    ["package.json", { devDependencies, ...written }, ["tsconfig.json"], "npm run typecheck, npm test"],
    ["package.json", { devDependencies }, ["pnpm-lock.yaml"], "pnpm exec vitest run"],
    ["package.json", { workspaces: ["packages/*"] }, [], "npm test --workspaces --if-present"],
    ["package.json", {}, ["pnpm-workspace.yaml", "pnpm-lock.yaml"], "pnpm -r test"],
    ["deno.json", {}, ["deno.json", "a_test.ts"], "deno test, deno check ., deno lint"],
    ["composer.json", {}, ["phpunit.xml.dist"], "vendor/bin/phpunit"]
  ])("names the type check and the tests that no script runs: %s, %j", (path, manifest, files, runs) => {
    expect(runsOf(path, manifest, files).join(", ")).toBe(runs)
  })

  it("passes over what is no script, and over names that are no single argument", () => {
    const others = { none: null, count: 3, "two words": "x", "$(rm)": "x", "--flag": "x", "a`b": "x" }
    expect(scripts("package.json", { scripts: { ok: "1", ...others } })).toEqual(["npm run ok = 1"])
    for (const text of ["", "{", "[]", "null", '{"scripts": []}', '{"scripts": "x"}', "[".repeat(100_000)]) {
      expect(scripts("package.json", text)).toEqual([])
    }
  })
})

it("packageEntries finds where a package begins, at any depth of its exports", () => {
  const manifest = {
    bin: { tool: "./bin/tool.js" },
    main: "lib/index.js",
    exports: { ".": { types: "./t.d.ts", default: "./lib/index.js" }, "./x": "./lib/x.js" }
  }
  expect(packageEntries(JSON.stringify(manifest))).toEqual(["bin/tool.js", "lib/index.js", "t.d.ts", "lib/x.js"])
  expect(packageEntries('{"bin": "./cli.js"}')).toEqual(["cli.js"])
  expect(packageEntries("no json")).toEqual([])
})

const targets = (path: string, text: string) =>
  recipeTargets({ path, text, files: new Set([path]) }).map(({ does, run }) => (does ? `${run} = ${does}` : run))

describe("recipeTargets", () => {
  it("names the targets of a Makefile that are no files, rules or variables", () => {
    const text = `CC := gcc
FLAGS ::= -O2
.PHONY: test release.all
all: build test
build: main.o ## builds
\t@$(CC) -o main main.o
main.o: main.c
\t$(CC) -c main.c
%.o: %.c
\tx
$(OUT)/x: y
test check: build
\t-./run-tests --all
release.all:
\t./release
x = y: z
# note: this
url = http://a`
    expect(targets("Makefile", text)).toEqual([
      "make all",
      "make build = $(CC) -o main main.o",
      "make test = ./run-tests --all",
      "make check = ./run-tests --all",
      "make release.all = ./release"
    ])
    expect(targets("sub/GNUmakefile", "t:\r\n\techo\r\n")).toEqual(["make t = echo"])
  })

  it("names the recipes of a justfile, with the parameters that must be given", () => {
    const text = [
      "set shell := ['bash']",
      "alias b := build",
      "version := '1'",
      "@default: build",
      "    just --list",
      "build target='debug': clean",
      "    cargo build",
      "deploy env +hosts:",
      "    ./deploy {{env}}",
      "[private]",
      "hidden:",
      "    x",
      "_clean:",
      "    rm x"
    ].join("\n")
    expect(targets("justfile", text)).toEqual([
      "just default = just --list",
      "just build = cargo build",
      "just deploy (env) (hosts) = ./deploy {{env}}"
    ])
  })

  it("names the tasks of a Taskfile and of a Rakefile", () => {
    const taskfile =
      "version: '3'\n\nvars:\n  A: 1\n\ntasks:\n  build:\n    cmds:\n      - go build\n  'test:unit':\n    cmd: x\n\nsilent: true\n  no:\n"
    expect(targets("Taskfile.yml", taskfile)).toEqual(["task build", "task test:unit"])
    expect(targets("Taskfile.yml", "version: '3'\n")).toEqual([])
    expect(targets("Rakefile", "task :spec do\nend\ntask default: [:spec]\ntask 'lint' => x\ntasks = 1\n")).toEqual([
      "rake spec",
      "rake default",
      "rake lint"
    ])
  })

  it("runs the tasks of a Rakefile in the bundle, and knows the usual classes of test tasks", () => {
    const text = "Rake::TestTask.new(:unit) do |t|\nend\nRSpec::Core::RakeTask.new\ntask default: [:unit]\n"
    const commands = recipeTargets({ path: "Rakefile", text, files: new Set(["Rakefile", "Gemfile"]) })
    expect(commands.map(({ kind, run }) => `${run} ${kind ?? ""}`)).toEqual([
      "bundle exec rake unit ",
      "bundle exec rake spec ",
      "bundle exec rake default tests"
    ])
  })

  it("reads nothing else, and takes no name that holds more than a name", () => {
    expect(targets("notes.md", "test:\n\tx")).toEqual([])
    expect(targets("Makefile", "a`b: c\n\tx\n`id`:\n\tx\nrm;ls:\n\tx\n")).toEqual([])
  })
})
