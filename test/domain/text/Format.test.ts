import { assert, it } from "@effect/vitest"
import { belowHome, withoutProject } from "../../../src/domain/text/Format.ts"

it.each([
  ["a person denied edit_file on /p/app/src/a.ts, /p/app/b.ts.", "a person denied edit_file on src/a.ts, b.ts."],
  ['Use --allow "edit_file:/p/app/src/a.ts".', 'Use --allow "edit_file:src/a.ts".'],
  ["/p/app/a.ts is new", "a.ts is new"],
  ["/other/p/app/a.ts and /p/application/a.ts and /p/app", "/other/p/app/a.ts and /p/application/a.ts and /p/app"],
  ["/a/b", "/a/b", ""],
  ["/a/b", "/a/b", "/"]
])("the paths of the project in %j are relative", (text, expected, project = "/p/app") => {
  assert.strictEqual(withoutProject(text, project), expected)
})

it("~ stands for the home folder only", () => {
  assert.strictEqual(belowHome("/home/a/.config/x.json", "/home/a"), "~/.config/x.json")
  assert.strictEqual(belowHome("/home/ab/x", "/home/a"), "/home/ab/x")
  assert.strictEqual(belowHome("/x", "/"), "/x")
})
