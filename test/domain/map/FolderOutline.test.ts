import { describe, expect, it } from "@effect/vitest"
import { folderOutline } from "../../../src/domain/map/FolderOutline.ts"

const files = (folder: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${folder}/f${index}.ts`)

describe("folderOutline", () => {
  it("counts the files below each folder, the largest folder first", () => {
    const paths = [...files("src/a", 2), ...files("src/b", 5), ...files("test", 3), "README.md"]
    expect(folderOutline(paths)(10_000, "overview")).toEqual([
      "- at the top: `src/` 7, `test/` 3",
      "- in `src/`: `b/` 5, `a/` 2"
    ])
  })

  it("names files where there is room, sources before tests and hidden folders", () => {
    const paths = ["README.md", ".github/ci.yml", ...files("src", 2), ...files("test", 2)]
    const outline = folderOutline(paths)
    const whole = [
      "- at the top: `src/` 2, `test/` 2, `.github/` 1",
      "- files at the top: `README.md`",
      "- files in `.github/`: `ci.yml`",
      "- files in `src/`: `f0.ts`, `f1.ts`",
      "- files in `test/`: `f0.ts`, `f1.ts`"
    ]
    expect(outline(10_000, "whole")).toEqual(whole)
    expect(outline(90, "whole")).toEqual([whole[0], whole[3]])
  })

  it("passes through folders that hold only one folder", () => {
    expect(folderOutline(files("src/main/java/com/acme", 2))(10_000, "whole")).toEqual([
      "- at the top: `src/main/java/com/acme/` 2",
      "- files in `src/main/java/com/acme/`: `f0.ts`, `f1.ts`"
    ])
  })

  it("says how many names are left out", () => {
    const wide = Array.from({ length: 100 }, (_, index) => `d${String(index).padStart(3, "0")}/a.ts`)
    const [line = ""] = folderOutline(wide)(10_000, "overview")
    expect(line).toMatch(/^- at the top: `d000\/` 1, .*, and 76 more$/)
    expect(folderOutline(wide)(60, "overview")).toEqual(["- at the top: `d000/` 1, `d001/` 1, `d002/` 1, and 97 more"])
    expect(folderOutline(wide)(20, "overview")).toEqual([])
  })

  it("names folders whose content is not known without a count", () => {
    expect(folderOutline(files("a", 2), ["b", "c/d"])(10_000, "overview")).toEqual([
      "- at the top: `a/` 2, `b/`, `c/d/`"
    ])
  })

  it("has nothing to say about no files", () => {
    expect(folderOutline([])(1000, "whole")).toEqual([])
  })
})
