import { expect, it } from "@effect/vitest"
import { languageOf } from "../../../src/domain/files/Language.ts"

it("goes by the extension, whatever its case and the form of the path", () => {
  expect(
    ["src/main.ts", "/abs/path/App.TSX", "C:\\work\\run.PS1", "a.b/notes.md", "lib.vala", "x.tar.yml"].map(languageOf)
  ).toEqual(["typescript", "tsx", "powershell", "markdown", "vala", "yaml"])
})

it("knows whole names, which win over the extension", () => {
  expect(["Makefile", "docker/Dockerfile", "Dockerfile.test", "CMakeLists.txt", ".gitignore"].map(languageOf)).toEqual([
    "makefile",
    "dockerfile",
    "dockerfile",
    "cmake",
    "gitignore"
  ])
})

it("says nothing about names that tell nothing", () => {
  expect(["bin/go", "c", ".ts", "data.unknown", "src.ts/file", ""].map(languageOf)).toEqual(["", "", "", "", "", ""])
})
