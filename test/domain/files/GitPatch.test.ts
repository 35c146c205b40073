import { expect, it } from "@effect/vitest"
import { gitPatch, type PatchSide } from "../../../src/domain/files/GitPatch.ts"

const plain = (text: string): PatchSide => ({ text, kind: "plain" })
const headOf = (path: string, before: PatchSide | undefined, after: PatchSide | undefined) =>
  gitPatch(path, { before, after }).diff.split("\n").slice(0, -1).join("|")

it("writes what becomes of a file before its diff", () => {
  const executable: PatchSide = { text: "x\n", kind: "executable" }
  expect(headOf("a", plain("x\n"), plain("y\n"))).toBe("diff --git a/a b/a|--- a/a|+++ b/a|@@ -1 +1 @@|-x|+y")
  expect(headOf("a", undefined, plain("y\n"))).toContain("|new file mode 100644|--- /dev/null|+++ b/a|")
  expect(headOf("a", plain("x\n"), undefined)).toContain("|deleted file mode 100644|--- a/a|+++ /dev/null|")
  expect(headOf("a", plain("x\n"), executable)).toBe("diff --git a/a b/a|old mode 100644|new mode 100755")
})

it("quotes names as git does", () => {
  const head = headOf("my file", plain("x\n"), plain("y\n"))
  expect(head).toMatch(/^diff --git a\/my file b\/my file\|--- a\/my file\t\|\+\+\+ b\/my file\t\|/)
  const name = 'a\\"b\\\\\\n\\001"'
  expect(headOf('a"b\\\n\u0001', undefined, undefined)).toBe(`diff --git "a/${name} "b/${name}`)
})

it("takes the patch of a file that is no text as it is", () => {
  const side: PatchSide = { kind: "plain" }
  expect(gitPatch("a", { before: side, after: side }, "GIT binary patch\n")).toEqual({
    added: 0,
    removed: 0,
    diff: "diff --git a/a b/a\nGIT binary patch\n"
  })
})
