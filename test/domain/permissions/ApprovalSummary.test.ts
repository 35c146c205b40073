import { assert, it } from "@effect/vitest"
import { approvalSummary } from "../../../src/domain/permissions/ApprovalSummary.ts"
import { type CanonicalAccess, needsPerson } from "../../../src/domain/tools/Access.ts"

const change = { added: 1, removed: 0, diff: "+x\n", isNew: false, isGone: false }

const words = (tool: string, ...accesses: ReadonlyArray<CanonicalAccess>) =>
  approvalSummary(
    { tool, risk: "high", accesses },
    {
      nameOf: (path) => path.replace(/^\/p\/?/, "") || ".",
      changeOf: (path) =>
        path.endsWith("new.md") ? { ...change, isNew: true } : path.endsWith("odd") ? undefined : change
    }
  )

const command = (sandboxed: boolean, sandbox: string, cwd = "/p"): CanonicalAccess => ({
  _tag: "RunCommand",
  argv: ["npm", "run", "a b"],
  cwd,
  sandboxed,
  sandbox
})
const read = (path: string, inside = true): CanonicalAccess => ({ _tag: "ReadFile", path, inside })
const write = (path: string): CanonicalAccess => ({ _tag: "WriteFile", path, inside: true, content: "x" })

it("says low risk where little can happen and warns where much can, with other words for each", () => {
  const cases = [
    [words("edit_file", write("/p/src/a.ts")), true, "edit src/a.ts (+1 -0)", "Changes a file of the project"],
    [words("write_file", write("/p/new.md")), true, "create new.md (1 line)", "Adds a file"],
    [words("write_file", write("/p/odd")), false, "write odd", "cannot be shown"],
    [words("run_command", command(true, "yes: no network")), true, "run a command", "in the sandbox: no network."],
    [words("run_command", command(true, "yes: with the network", "/p/web")), false, "run a command in web", "network"],
    [words("run_command", command(false, "no: not on this system")), false, "run a command", "with all your rights"],
    [
      words("run_command", command(true, "yes: network: only registry.npmjs.org")),
      true,
      "run a command",
      "Runs in the sandbox: network: only registry.npmjs.org."
    ],
    [
      words("run_command", command(false, "partly: Landlock: no network")),
      false,
      "run a command",
      "Runs in a weaker sandbox: Landlock: no network."
    ],
    [words("read_file", read("/p/a.md")), true, "read a.md", "Nothing is changed"],
    [words("read_file", read("/p/.env")), false, "read .env", "secrets"],
    [words("read_file", read("/etc/x", false)), false, "read /etc/x", "outside the project"],
    [
      words("fetch_url", { _tag: "FetchUrl", url: "https://a.b/c" }),
      true,
      "fetch https://a.b/c",
      "a.b sees the address"
    ],
    [
      words("load_plugin", { _tag: "LoadPlugin", name: "x", path: "/p/x", hash: "" }),
      false,
      "load the plugin x",
      "all your"
    ],
    [words("other"), false, "use other", "destroy"]
  ] as const
  for (const [found, isCalm, does, consequence] of cases) {
    assert.deepStrictEqual([found.does, found.isCalm], [does, isCalm])
    assert.include(found.consequence, consequence)
  }
  assert.strictEqual(new Set(cases.map(([found]) => found.consequence)).size, cases.length)
  assert.strictEqual(words("run_command", command(true, "yes: no network")).command, 'npm run "a b"')
})

const removal = (
  path: string,
  more: Partial<Extract<CanonicalAccess, { _tag: "WriteFile" }>> = {}
): CanonicalAccess => ({
  _tag: "WriteFile",
  path,
  inside: true,
  content: "",
  removes: true,
  ...more
})

const held = { path: "/p/a.ts", is: "file" as const, state: "x", size: 1, isText: false }

it.each([
  ["a file", [removal("/p/a.ts")], "remove a.ts (-0)"],
  [
    "a link",
    [removal("/p/a.ts", { holds: { ...held, is: "link", leads: "b.ts" } })],
    "remove the link a.ts (it leads to b.ts)"
  ],
  ["what is no file", [removal("/p/a.ts", { holds: { ...held, is: "other" } })], "remove a.ts"]
] as const)("says what a removal takes away: %s", (_, accesses, does) => {
  assert.strictEqual(words("remove_file", ...accesses).does, does)
})

it("needs a person for starts, for secrets, and for what lies outside of the project and of a skill", () => {
  const cases: ReadonlyArray<readonly [CanonicalAccess, boolean]> = [
    [{ _tag: "LoadPlugin", name: "x", path: "/p/x", hash: "" }, true],
    [{ _tag: "StartServer", name: "x", does: [], hash: "" }, true],
    [read("/p/a.md"), false],
    [read("/p/.env"), true],
    [read("/etc/x", false), true],
    [{ _tag: "ReadFile", path: "/etc/x", inside: false, ofSkill: true }, false],
    [{ _tag: "ReadFile", path: "/etc/.env", inside: false, ofSkill: true }, true],
    [write("/p/.env"), false]
  ]
  assert.deepStrictEqual(
    cases.map(([access]) => needsPerson(access)),
    cases.map(([, needs]) => needs)
  )
})

const moved = (from: string, to: string, folder?: string): ReadonlyArray<CanonicalAccess> => [
  {
    _tag: "WriteFile",
    path: to,
    inside: true,
    content: "",
    from: { ...held, path: from },
    ...(folder === undefined ? {} : { folder })
  },
  removal(from, { holds: { ...held, path: from }, ...(folder === undefined ? {} : { folder: "/p/old" }) })
]

it.each([
  ["a single secret", [removal("/p/.env", { holds: { ...held, path: "/p/.env" } })], "remove .env (-0)", ""],
  [
    "a folder",
    ["/p/d/a.ts", "/p/d/b.ts"].map((path) => removal(path, { folder: "/p/d", holds: { ...held, path } })),
    "remove the folder d (2 files: a.ts, b.ts; 2 bytes)",
    ""
  ],
  [
    "a folder with a secret",
    ["/p/d/a.ts", "/p/d/.env"].map((path) => removal(path, { folder: "/p/d", holds: { ...held, path } })),
    "remove the folder d (2 files: a.ts, .env; 2 bytes)",
    "By their names these may hold secrets: d/.env."
  ],
  ["a moved file", moved("/p/a.ts", "/p/b.ts"), "move a.ts to b.ts (1 byte)", ""],
  [
    "a moved folder",
    moved("/p/old/a.ts", "/p/new/a.ts", "/p/new"),
    "move the folder old to new (1 file: a.ts; 1 byte)",
    ""
  ],
  [
    "a moved file, and what else the call does",
    [...moved("/p/a.ts", "/p/b.ts"), read("/p/c.ts")],
    "move a.ts to b.ts (1 byte), read c.ts",
    ""
  ]
] as const)("says what goes, and names secrets among several files: %s", (_, accesses, does, secrets) => {
  const summary = words("remove_file", ...accesses)
  assert.strictEqual(summary.does, does)
  assert.strictEqual(summary.consequence.includes("secrets"), secrets !== "")
  assert.include(summary.consequence, secrets)
})
