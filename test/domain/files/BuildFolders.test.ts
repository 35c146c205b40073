import { expect, it } from "@effect/vitest"
import { besideBuild, buildMarks } from "../../../src/domain/files/BuildFolders.ts"

const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]

it.each([
  ["target", ["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]],
  ["build", gradle],
  [".gradle", gradle],
  ["_build", ["mix.exs", "dune-project", "rebar.config"]],
  ["deps", ["mix.exs"]],
  [".build", ["Package.swift"]]
])("makes %s a folder of a build beside one of %j", (name, files) => {
  expect(besideBuild(name)).toEqual(files)
})

it("knows folders of builds by their names alone, or by what stands in them", () => {
  const names = "__pycache__ .tox .nox .hypothesis .dart_tool .stack-work dist-newstyle .zig-cache".split(" ")
  expect(names.map(besideBuild)).toEqual(names.map(() => []))
  expect(["src", "dist", "node_modules"].map(besideBuild)).toEqual([undefined, undefined, undefined])
  expect(buildMarks).toEqual(["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"])
})
