/**
 * An approval of a write holds for the content that was shown: a file that somebody else changed is asked about again,
 * or left alone with a clear error when the call had begun.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { definePlugin, tool, Workspace } from "../../../src/plugin-kit.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

/** What somebody else does in the project meanwhile. */
type Change = (fs: FileSystem.FileSystem, root: string) => Effect.Effect<void, unknown>

const write = (path: string, content = "new\n") => ["write_file", { path, content }] as const
const put =
  (path: string, text: string): Change =>
  (fs, root) =>
    fs.writeFileString(`${root}/${path}`, text)

const copy = definePlugin({
  name: "copy",
  tools: Effect.succeed({
    copy_text: tool({
      description: "Writes a text.",
      parameters: Schema.Struct({ text: Schema.String }),
      risk: "high",
      effect: "idempotent",
      access: ({ text }) => [{ _tag: "WriteFile", path: "a.txt", content: text }],
      execute: Effect.fnUntraced(function* (_params, { granted: [granted] }) {
        if (granted?._tag !== "WriteFile") return "nothing"
        yield* (yield* Workspace).write(granted)
        return "written"
      })
    })
  })
})

const editing = ["edit_file", { path: "src/b.txt", old_text: "first", new_text: "1st" }] as const
const noText = Uint8Array.of(0xff, 0xfe, 0, 1)
const linked: Change = (fs, root) =>
  Effect.andThen(fs.remove(`${root}/a.txt`), fs.symlink(`${root}/src/b.txt`, `${root}/a.txt`))

/** Calls, and what becomes of their file meanwhile. */
const variants: ReadonlyArray<
  readonly [name: string, call: readonly [tool: string, given: Arguments], change: Change]
> = [
  ["another text", write("a.txt"), put("a.txt", "changed\n")],
  ["other line ends", write("a.txt"), put("a.txt", "one\r\n")],
  ["a byte order mark", write("a.txt"), put("a.txt", "\uFEFFone\n")],
  ["no file", write("a.txt"), (fs, root) => fs.remove(`${root}/a.txt`)],
  ["a file that was not there", write("new.txt"), put("new.txt", "mine\n")],
  ["bytes that are no text", write("a.txt"), (fs, root) => fs.writeFile(`${root}/a.txt`, noText)],
  ["a link to another file", write("a.txt"), linked],
  ["a folder", write("new.txt"), (fs, root) => fs.makeDirectory(`${root}/new.txt`)],
  ["another text far from an edit", editing, put("src/b.txt", "first\nsecond\nthird, by somebody else\n")],
  ["another text below a tool of a plugin", ["copy_text", { text: "x" }], put("a.txt", "2\n")]
]

const files = { "a.txt": "one\n", "src/b.txt": "first\nsecond\nthird\n" }

/** Tools whose questions are answered with "once" after the change was made. */
const openChanging = Effect.fnUntraced(function* (change: Change) {
  const fs = yield* FileSystem.FileSystem
  let root = ""
  const approver = scriptedApprover({ calls: ["once"] }, Effect.orDie(Effect.suspend(() => change(fs, root))))
  const tools = yield* openTools({ files, plugins: [copy], approver: approver.layer })
  root = tools.root
  return { ...tools, asked: approver.asked }
})

const contentOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.map(Effect.option(fs.readFileString(path)), (text) => (text._tag === "None" ? null : text.value))
})

describe("a file that changes while its question is open", () => {
  for (const [name, call, change] of variants) {
    nodeTest(`is left alone: ${name}`, function* () {
      const { root, run } = yield* openChanging(change)
      const { error_message, error_type, success } = yield* run(...call)
      assert.deepStrictEqual([success, ["validation_failed", "io_error"].includes(error_type)], [false, true])
      assert.match(error_message ?? "", /was changed after the call was checked|it is (?:a folder|not a regular file)/)
      for (const path of ["a.txt", "new.txt"]) {
        assert.notInclude(["new\n", "x"], (yield* contentOf(`${root}/${path}`)) ?? "")
      }
      assert.notInclude((yield* contentOf(`${root}/src/b.txt`)) ?? "", "1st")
    })
  }

  nodeTest("is written when its content is the same again", function* () {
    const { root, run } = yield* openChanging(put("a.txt", "one\n"))
    assert.isTrue((yield* run(...write("a.txt"))).success)
    assert.strictEqual(yield* contentOf(`${root}/a.txt`), "new\n")
  })
})

/** A project in which these writes were approved as one step. */
const openApproved = Effect.fnUntraced(function* (
  calls: ReadonlyArray<readonly [tool: string, given: Arguments]>,
  approver: Layer.Layer<Approver>
) {
  const tools = yield* openTools({ files, plugins: [copy], approver })
  const prepared = yield* Effect.forEach(calls, ([name, given]) => tools.registry.prepare(callOf(name, given)))
  yield* approveCalls(tools.gate, {
    title: "Step",
    planKey: "p",
    tasks: [{ task: "T", gatedBy: "risk", calls: prepared }]
  })
  return tools
})

describe("a step that was approved", () => {
  for (const [name, call, change] of variants.filter(([what]) => what !== "a folder")) {
    nodeTest(`is asked about again when a file changed since: ${name}`, function* () {
      const fs = yield* FileSystem.FileSystem
      const approver = scriptedApprover({ steps: ["step"], calls: ["deny"] })
      const { root, run } = yield* openApproved([call], approver.layer)
      yield* Effect.orDie(change(fs, root))
      const { error_type } = yield* run(...call)
      assert.deepStrictEqual([error_type, approver.asked.length], ["permission_denied", 2])
    })
  }

  nodeTest("covers a second write to a file that the run itself wrote", function* () {
    const approver = scriptedApprover({ steps: ["step"] })
    const calls = [write("a.txt", "first\n"), write("a.txt", "second\n")]
    const { root, run } = yield* openApproved(calls, approver.layer)
    for (const call of calls) assert.isTrue((yield* run(...call)).success)
    assert.strictEqual(yield* contentOf(`${root}/a.txt`), "second\n")
  })

  nodeTest("does not cover it once somebody else changed the file in between", function* () {
    const fs = yield* FileSystem.FileSystem
    const approver = scriptedApprover({ steps: ["step"], calls: ["deny"] })
    const calls = [write("a.txt", "first\n"), write("a.txt", "second\n")] as const
    const { root, run } = yield* openApproved(calls, approver.layer)
    yield* run(...calls[0])
    yield* fs.writeFileString(`${root}/a.txt`, "mine\n")
    assert.strictEqual((yield* run(...calls[1])).error_type, "permission_denied")
    assert.strictEqual(yield* contentOf(`${root}/a.txt`), "mine\n")
  })

  nodeTest("is not asked about again when nobody was shown anything", function* () {
    const fs = yield* FileSystem.FileSystem
    const inner = scriptedApprover({})
    const { root, run } = yield* openApproved([write("a.txt")], Approver.layerApproveSteps(inner.layer))
    yield* fs.writeFileString(`${root}/a.txt`, "mine\n")
    assert.isTrue((yield* run(...write("a.txt"))).success)
  })
})

nodeTest("an answer for the session ends when somebody else changes the file", function* () {
  const fs = yield* FileSystem.FileSystem
  const approver = scriptedApprover({ calls: ["session", "deny"] })
  const { root, run } = yield* openTools({ files, approver: approver.layer })
  for (const _ of [1, 2]) assert.isTrue((yield* run(...write("a.txt"))).success)
  assert.strictEqual(approver.asked.length, 1)
  yield* fs.writeFileString(`${root}/a.txt`, "mine\n")
  assert.strictEqual((yield* run(...write("a.txt"))).error_type, "permission_denied")
  assert.strictEqual(yield* contentOf(`${root}/a.txt`), "mine\n")
})
