import { assert, expect, it } from "@effect/vitest"
import { approvalSummary } from "../../../src/domain/permissions/ApprovalSummary.ts"
import { type CanonicalAccess, needsUser } from "../../../src/domain/tools/Access.ts"

const change = { added: 1, removed: 0, diff: "+x\n", isNew: false }

const words = (tool: string, ...accesses: ReadonlyArray<CanonicalAccess>) =>
  approvalSummary(
    { tool, risk: "high", accesses },
    {
      nameOf: (path) => path.replace(/^\/p\/?/, "") || ".",
      changeOf: (path) =>
        path.endsWith("new.md") ? { ...change, isNew: true } : path.endsWith("odd") ? undefined : change
    }
  )

const run = (sandboxed: boolean, sandbox: string, cwd = "/p") =>
  words("run_command", { _tag: "RunCommand", argv: ["npm", "run", "a b"], cwd, sandboxed, sandbox })
const page = { _tag: "FetchUrl", url: "https://a.b/c" } as const
const read = (path: string, inside = true): CanonicalAccess => ({ _tag: "ReadFile", path, inside })
const plugin: CanonicalAccess = { _tag: "LoadPlugin", name: "x", path: "/p/x", hash: "" }
type Write = Extract<CanonicalAccess, { _tag: "WriteFile" }>
const write = (path: string): Write => ({ _tag: "WriteFile", path, inside: true, content: "x" })

it("says low risk where little can happen and warns where much can, with other words for each", () => {
  const cases = [
    [words("edit_file", write("/p/src/a.ts")), true, "edit src/a.ts (+1 -0)", "Changes a file of the project"],
    [words("write_file", write("/p/new.md")), true, "create new.md (1 line)", "Adds a file"],
    [words("write_file", write("/p/odd")), false, "write odd", "cannot be shown"],
    [run(true, "yes: no network"), true, "run a command", "in the sandbox: no network."],
    [run(true, "yes: with the network", "/p/web"), false, "run a command in web", "network"],
    [run(false, "no: not on this system"), false, "run a command", "with all your rights"],
    [run(true, "yes: network: only a.org"), true, "run a command", "sandbox: network: only a.org."],
    [run(false, "partly: no files"), false, "run a command", "in a weaker sandbox: no files."],
    [words("read_file", read("/p/a.md")), true, "read a.md", "Nothing is changed"],
    [words("read_file", read("/p/.env")), false, "read .env", "secrets"],
    [words("read_file", read("/etc/x", false)), false, "read /etc/x", "outside the project"],
    [words("fetch_url", page), true, "fetch https://a.b/c", "a.b sees the address"],
    [words("load_plugin", plugin), false, "load the plugin x", "all your"],
    [words("other"), false, "use other", "destroy"]
  ] as const
  for (const [found, isCalm, does, consequence] of cases) {
    assert.deepStrictEqual([found.does, found.isCalm], [does, isCalm])
    assert.include(found.consequence, consequence)
  }
  assert.strictEqual(new Set(cases.map(([found]) => found.consequence)).size, cases.length)
  assert.strictEqual(run(true, "yes: no network").command, 'npm run "a b"')
})

const removal = (path: string, more: Partial<Write> = {}) => ({
  ...write(path),
  content: "",
  removes: true,
  ...more
})

const held = { path: "/p/a.ts", is: "file" as const, state: "x", size: 1, isText: false }

it("needs a person for starts, for secrets, and for what lies outside of the project and of a skill", () => {
  const cases: ReadonlyArray<readonly [CanonicalAccess, boolean]> = [
    [plugin, true],
    [{ _tag: "StartServer", name: "x", does: [], hash: "" }, true],
    [read("/p/a.md"), false],
    [read("/p/.env"), true],
    [read("/etc/x", false), true],
    [{ _tag: "ReadFile", path: "/etc/x", inside: false, ofSkill: true }, false],
    [{ _tag: "ReadFile", path: "/etc/.env", inside: false, ofSkill: true }, true],
    [write("/p/.env"), false]
  ]
  expect(cases.map(([access]) => needsUser(access))).toStrictEqual(cases.map(([, needs]) => needs))
})

const removed = (path: string, folder?: string, more: Partial<Write["holds"]> = {}) =>
  removal(path, { holds: { ...held, path, ...more }, ...(folder === undefined ? {} : { folder }) })
const moved = (from: string, path: string, folder?: string, is: "file" | "link" = "file"): ReadonlyArray<Write> => [
  { ...write(path), content: "", from: { ...held, path: from, is }, ...(folder === undefined ? {} : { folder }) },
  removed(from, folder && "/p/old", { is })
]
const inFolder = (...names: ReadonlyArray<string>) => names.map((name) => removed(`/p/d/${name}`, "/p/d"))
const toNew = (...names: ReadonlyArray<string>) =>
  names.flatMap((name) => moved(`/p/old/${name}`, `/p/new/${name}`, "/p/new"))

it.each<[string, ReadonlyArray<CanonicalAccess>, does: string, secrets?: string]>([
  ["a file", [removal("/p/a.ts")], "remove a.ts (-0)"],
  ["a link", [removed("/p/a.ts", undefined, { is: "link", leads: "b.ts" })], "remove the link a.ts (it leads to b.ts)"],
  ["what is no file", [removed("/p/a.ts", undefined, { is: "other" })], "remove a.ts"],
  ["a single secret", [removed("/p/.env")], "remove .env (-0)"],
  ["a folder", inFolder("a.ts", "b.ts"), "remove the folder d (2 files: a.ts, b.ts; 2 bytes)"],
  ["a folder with a secret", inFolder("a.ts", ".env"), "remove the folder d (2 files: a.ts, .env; 2 bytes)", "d/.env"],
  ["a moved file", moved("/p/a.ts", "/p/b.ts"), "move a.ts to b.ts (1 byte)"],
  ["a moved link", moved("/p/a", "/p/b", undefined, "link"), "move the link a to b"],
  ["a moved folder", toNew("a.ts"), "move the folder old to new (1 file: a.ts; 1 byte)"],
  ["a moved secret", toNew("a.ts", ".env"), "move the folder old to new (2 files: a.ts, .env; 2 bytes)", "old/.env"],
  ["and what else", [...moved("/p/a.ts", "/p/b.ts"), read("/p/c.ts")], "move a.ts to b.ts (1 byte), read c.ts"]
])("says what goes, and names secrets among several files: %s", (_, accesses, does, secrets = "") => {
  const summary = words("remove_file", ...accesses)
  assert.deepStrictEqual([summary.does, summary.consequence.includes("secrets")], [does, secrets !== ""])
  assert.include(summary.consequence, secrets === "" ? "" : `By their names these may hold secrets: ${secrets}.`)
  if (secrets !== "") assert.isFalse(summary.isCalm)
})

const sized = (path: string, size: number) => removed(path, undefined, { size })

it("warns of what undo cannot bring back: only what is larger than 16 MiB", () => {
  const summaries = [16_777_216, 16_777_217].map((size) => words("remove_file", sized("/p/a.bin", size)))
  expect(summaries.map(({ isCalm }) => isCalm)).toStrictEqual([true, false])
  assert.include(summaries[1]?.consequence, "undo cannot bring back a.bin")
})

it("says how much goes with a file that has no text", () => {
  const does = [sized("/p/odd", 999), sized("/p/odd", 1000), removal("/p/odd")].map(
    (access) => words("remove_file", access).does
  )
  assert.deepStrictEqual(does, [
    "remove odd (999 bytes, no text)",
    "remove odd (1 kB, no text)",
    "remove odd (0 bytes, no text)"
  ])
})

it("tells a change of the mode from one of the text, and from none", () => {
  const same = { added: 0, removed: 0, diff: "", isNew: false }
  const does = (kind: Write["kind"], change = same) =>
    approvalSummary(
      {
        tool: "write_file",
        risk: "high",
        accesses: [{ _tag: "WriteFile", path: "/p/a", inside: true, content: "x", ...(kind && { kind }) }]
      },
      { nameOf: (path) => path.slice(3), changeOf: () => change }
    ).does
  const more = { ...same, added: 2, diff: "+x\n" }
  assert.deepStrictEqual(
    [undefined, "executable", "plain", "link"].map((kind) => does(kind as Write["kind"])),
    ["write a", "make a executable", "make a not executable any more", "create the link a"]
  )
  assert.strictEqual(does("executable", more), "edit a (+2 -0, executable)")
  assert.strictEqual(does("executable", { ...more, isNew: true }), "create a (2 lines, executable)")
})

it("warns of a call when one of its accesses needs it, and says each consequence once", () => {
  const summary = words("read_file", read("/p/a.md"), read("/p/b.md"), read("/p/.env"))
  assert.strictEqual(summary.isCalm, false)
  assert.strictEqual(summary.consequence.split("Nothing is changed.").length, 2)
  assert.deepStrictEqual(words("read_file", read("/p/a.md"), read("/p/b.md")).isCalm, true)
})

it("warns of a tool of a plugin whatever it declares", () => {
  const pin = { origin: "w", definition: "a".repeat(64) }
  const summary = (risk: "medium" | "high") =>
    approvalSummary(
      { tool: "count", risk, accesses: [read("/p/a.md")], pin },
      { nameOf: (path) => path, changeOf: () => undefined }
    )
  assert.deepStrictEqual([summary("medium").isCalm, summary("medium").does], [false, "use count of w, read /p/a.md"])
  assert.include(summary("high").consequence, "destroy")
  assert.notInclude(summary("medium").consequence, "destroy")
})
