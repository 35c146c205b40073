import { describe, expect, it } from "@effect/vitest"
import { recipeTargets } from "../../../src/domain/map/ProjectCommands.ts"

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

  it("reads nothing else, and takes no name that holds more than a name", () => {
    expect(targets("notes.md", "test:\n\tx")).toEqual([])
    expect(targets("Makefile", "a`b: c\n\tx\n`id`:\n\tx\nrm;ls:\n\tx\n")).toEqual([])
  })
})
