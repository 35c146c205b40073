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
    const manifest = {
      scripts: {
        prepack: "x",
        postinstall: "x",
        prepare: "x",
        pretest: "x",
        test: "node --test",
        "build:all": "tsc -b",
        preview: "serve",
        posters: "draw"
      }
    }
    expect(scripts("package.json", manifest)).toEqual([
      "npm test = node --test",
      "npm run build:all = tsc -b",
      "npm run preview = serve",
      "npm run posters = draw"
    ])
  })

  it("takes the package manager from the manifest, else from the nearest lock file", () => {
    const manifest = { scripts: { test: "t", lint: "l" } }
    const runs = (path: string, files: ReadonlyArray<string>, more = {}) =>
      scripts(path, { ...manifest, ...more }, files).map((line) => line.split(" = ")[0])
    expect(runs("package.json", ["pnpm-lock.yaml"])).toEqual(["pnpm test", "pnpm run lint"])
    expect(runs("package.json", ["yarn.lock"])).toEqual(["yarn test", "yarn run lint"])
    expect(runs("package.json", ["bun.lock"])).toEqual(["bun run test", "bun run lint"])
    expect(runs("a/package.json", ["yarn.lock", "a/package-lock.json"])).toEqual(["npm test", "npm run lint"])
    expect(runs("a/package.json", ["yarn.lock"])).toEqual(["yarn test", "yarn run lint"])
    expect(runs("package.json", ["yarn.lock"], { packageManager: "pnpm@9.1.0" })[0]).toBe("pnpm test")
  })

  it("runs the tests of a script that calls a missing package manager by themselves", () => {
    expect(here("pnpm lint && vitest run --typecheck")).toEqual(["npx vitest run --typecheck"])
    expect(here("vitest run")).toEqual(["npm test = vitest run"])
    expect(here("pnpm lint && pnpm other")).toEqual([])
    expect(here("pnpm lint && vitest run && jest")).toEqual([])
  })

  it("reads composer.json and deno.jsonc", () => {
    expect(
      scripts("composer.json", { scripts: { "post-install-cmd": "x", test: ["@lint", "phpunit"], lint: "phpcs" } })
    ).toEqual(["composer run test = @lint && phpunit", "composer run lint = phpcs"])
    const deno = '{ // tasks\n "tasks": { "check": "deno check .", "dev": { "command": "deno run a.ts" }, } }'
    expect(scripts("deno.jsonc", deno)).toEqual([
      "deno task check = deno check .",
      "deno task dev = deno run a.ts",
      "deno lint = undefined"
    ])
  })

  it("names the type check and the tests that no script runs", () => {
    const names = (manifest: unknown, files: ReadonlyArray<string> = []) =>
      scripts("package.json", manifest, files).map((line) => line.split(" = ")[0])
    const devDependencies = { typescript: "5", vitest: "4" }
    const placeholder = 'echo "Error: no test specified" && exit 1'
    expect(names({ devDependencies, scripts: { test: placeholder } }, ["tsconfig.json"])).toEqual([
      "npx tsc --noEmit",
      "npx vitest run"
    ])
    expect(names({ devDependencies, scripts: { typecheck: "tsc", test: "vitest" } }, ["tsconfig.json"])).toEqual([
      "npm run typecheck",
      "npm test"
    ])
    expect(names({ devDependencies }, ["tsconfig.json", "pnpm-lock.yaml"])[0]).toBe("pnpm exec tsc --noEmit")
    expect(names({ workspaces: ["packages/*"] })).toEqual(["npm test --workspaces --if-present"])
    expect(names({}, ["pnpm-workspace.yaml", "pnpm-lock.yaml"])).toEqual(["pnpm -r test"])
    expect(scripts("deno.json", {}, ["deno.json", "a_test.ts"])).toEqual([
      "deno test = undefined",
      "deno check . = undefined",
      "deno lint = undefined"
    ])
    expect(scripts("composer.json", {}, ["phpunit.xml.dist"])).toEqual(["vendor/bin/phpunit = undefined"])
  })

  it("passes over what is no script, and over names that are no single argument", () => {
    expect(
      scripts("package.json", {
        scripts: { ok: "1", none: null, count: 3, "two words": "x", "$(rm)": "x", "--flag": "x", "a`b": "x" }
      })
    ).toEqual(["npm run ok = 1"])
    for (const text of ["", "{", "[]", "null", '{"scripts": []}', '{"scripts": "x"}', "[".repeat(100_000)]) {
      expect(scripts("package.json", text)).toEqual([])
    }
  })
})

describe("packageEntries", () => {
  it("finds where a package begins, at any depth of its exports", () => {
    const manifest = {
      bin: { tool: "./bin/tool.js" },
      main: "lib/index.js",
      exports: { ".": { types: "./t.d.ts", default: "./lib/index.js" }, "./x": "./lib/x.js" }
    }
    expect(packageEntries(JSON.stringify(manifest))).toEqual(["bin/tool.js", "lib/index.js", "t.d.ts", "lib/x.js"])
    expect(packageEntries('{"bin": "./cli.js"}')).toEqual(["cli.js"])
    expect(packageEntries("no json")).toEqual([])
  })
})

const targets = (path: string, text: string) =>
  recipeTargets({ path, text, files: new Set([path]) }).map(({ does, run }) => (does ? `${run} = ${does}` : run))

describe("recipeTargets", () => {
  it("names the targets of a Makefile that are no files, rules or variables", () => {
    const text = [
      "CC := gcc",
      "FLAGS ::= -O2",
      ".PHONY: test release.all",
      "all: build test",
      "build: main.o ## builds",
      "\t@$(CC) -o main main.o",
      "main.o: main.c",
      "\t$(CC) -c main.c",
      "%.o: %.c",
      "\tx",
      "$(OUT)/x: y",
      "test check: build",
      "\t-./run-tests --all",
      "release.all:",
      "\t./release",
      "x = y: z",
      "# note: this",
      "url = http://a"
    ].join("\n")
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
