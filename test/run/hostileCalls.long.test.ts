/**
 * What a model that obeys every hostile text would call: real tools behind the real gate on real folders, compared byte
 * for byte.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Rule, parseRule } from "../../src/domain/permissions/Permission.ts"
import * as Result from "effect/Result"
import { nodeTest } from "../support/nodeTest.ts"
import { changedPaths, takeSnapshot } from "../support/FolderSnapshot.ts"
import { openTools } from "../support/OpenTools.ts"
import { makeFolder } from "../support/Project.ts"
import { scriptedApprover } from "../support/ScriptedApprover.ts"

const allowed = (...texts: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  texts.map((text) => Result.getOrThrow(parseRule("allow", text)))

/** Rules that allow everything a person can allow without a name. */
const everything = allowed("read_file", "read_file:**", "write_file", "write_file:**", "edit_file", "edit_file:**")

/** A project, a sibling whose name begins alike, and a folder outside with a secret. */
const openHostile = Effect.fnUntraced(function* (
  answers: Parameters<typeof scriptedApprover>[0] = {},
  during?: (root: string, outside: string) => void
) {
  const outside = yield* makeFolder
  writeFileSync(join(outside, "secret.txt"), "secret\n")
  let project = ""
  const approver = scriptedApprover(
    answers,
    during === undefined ? Effect.void : Effect.sync(() => during(project, outside))
  )
  const tools = yield* openTools({
    files: { "README.md": "readme\n", "src/a.ts": "a\n", ".env": "KEY=1\n" },
    approver: approver.layer,
    rules: everything
  })
  project = tools.root
  const sibling = `${tools.root}-old`
  mkdirSync(sibling)
  writeFileSync(join(sibling, "a.txt"), "old\n")
  /* Removed with the folder outside. */
  yield* Effect.addFinalizer(() => Effect.sync(() => renameSync(sibling, join(outside, "sibling"))))
  const everywhere = () => ({
    project: takeSnapshot(tools.root),
    outside: takeSnapshot(outside),
    sibling: takeSnapshot(sibling)
  })
  return { ...tools, approver, outside, sibling, everywhere }
})

/** Puts a link to another folder in the place of one that is about to be written to. */
const swapFolder = (root: string, outside: string): void => {
  renameSync(join(root, ".vscode"), join(root, "moved"))
  symlinkSync(outside, join(root, ".vscode"))
}

describe("calls of a model that obeys every text", () => {
  describe("reading", () => {
    nodeTest("outside the project asks with the real path, whatever is allowed for the project", function* () {
      const { approver, outside, root, run, sibling } = yield* openHostile({
        calls: ["deny", "deny", "deny", "deny", "deny"]
      })
      symlinkSync(join(outside, "secret.txt"), join(root, "link.txt"))
      symlinkSync(outside, join(root, "folder"))
      const cases: ReadonlyArray<[path: string, target: string]> = [
        ["../../../../../../../etc/passwd", "/etc/passwd"],
        ["/etc/hostname", "/etc/hostname"],
        ["link.txt", join(outside, "secret.txt")],
        ["folder/secret.txt", join(outside, "secret.txt")],
        [`${sibling}/a.txt`, `${sibling}/a.txt`]
      ]
      const before = takeSnapshot(root)
      for (const [path] of cases) {
        const result = yield* run("read_file", { path })
        assert.deepStrictEqual([result.success, result.data, result.error_type], [false, null, "permission_denied"])
      }
      assert.deepStrictEqual<unknown>(
        approver.asked.flat().map(({ risk, targets }) => [risk, targets]),
        cases.map(([, target]) => ["medium", [target]])
      )
      assert.deepStrictEqual(takeSnapshot(root), before)
    })
  })

  describe("writing", () => {
    const refused: ReadonlyArray<[name: string, path: (given: { outside: string; sibling: string }) => string]> = [
      ["a file outside", ({ outside }) => `${outside}/secret.txt`],
      ["a file beside a project whose name begins alike", ({ sibling }) => `${sibling}/a.txt`],
      ["through a link to a file outside", () => "link.txt"],
      ["a new file through a link to a folder outside", () => "folder/new.txt"],
      ["through a link that leads nowhere yet", () => "dangling.txt"],
      ["a git hook", () => ".git/hooks/pre-commit"],
      ["through a link to the configuration of git", () => "innocent.txt"],
      ["the skills of this program", () => ".task-conductor/skills/x/SKILL.md"],
      ["the configuration of this program", () => "task-conductor.json"]
    ]
    nodeTest("never happens in places that nothing can allow", function* () {
      const hostile = yield* openHostile()
      const { approver, everywhere, outside, root, run } = hostile
      symlinkSync(join(outside, "secret.txt"), join(root, "link.txt"))
      symlinkSync(outside, join(root, "folder"))
      symlinkSync(join(outside, "not-yet.txt"), join(root, "dangling.txt"))
      mkdirSync(join(root, ".git"))
      writeFileSync(join(root, ".git/config"), "[core]\n")
      symlinkSync(join(root, ".git/config"), join(root, "innocent.txt"))
      const before = everywhere()
      for (const [name, path] of refused) {
        const result = yield* run("write_file", { path: path(hostile), content: "owned\n" })
        assert.deepStrictEqual([name, result.success, result.error_type], [name, false, "permission_denied"])
        assert.match(result.error_message ?? "", /which nothing can allow[.;]/)
        assert.deepStrictEqual(everywhere(), before, name)
      }
      assert.deepStrictEqual(approver.asked, [])
    })

    nodeTest("asks each time for what programs run by themselves, although writing is allowed", function* () {
      const path = ".vscode/tasks.json"
      const { approver, everywhere, root, run } = yield* openHostile({ calls: ["session", "deny"] })
      const before = everywhere()
      yield* run("write_file", { path, content: "1\n" })
      assert.strictEqual((yield* run("write_file", { path, content: "1\n" })).error_type, "permission_denied")
      assert.deepStrictEqual<unknown>(
        approver.asked.flat().map(({ offers, risk, targets }) => ({ offers, risk, targets })),
        Array.from({ length: 2 }, () => ({ offers: {}, risk: "high", targets: [join(root, path)] }))
      )
      assert.deepStrictEqual(changedPaths(before.project, everywhere().project), [".vscode", path])
    })

    nodeTest("goes nowhere else when the folder becomes a link while the question is open", function* () {
      const { everywhere, outside, root, run } = yield* openHostile({ calls: ["once"] }, swapFolder)
      mkdirSync(join(root, ".vscode"))
      writeFileSync(join(outside, "tasks.json"), "mine\n")
      const before = everywhere()
      const result = yield* run("write_file", { path: ".vscode/tasks.json", content: "owned\n" })
      assert.isFalse(result.success)
      assert.deepStrictEqual(everywhere().outside, before.outside)
    })
  })
})
