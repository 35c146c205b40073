/**
 * Every file that a run trusts or starts, beside the system and this package: what a real run with a plugin, a server, hooks and
 * checks, and a conversation after it, opens, starts and connects to is in this list, belongs to the user alone, and cannot be written by a command in the sandbox.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, globSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { scriptedServer } from "../support/McpServers.ts"
import { needs } from "../support/needs.ts"
import { wordsModule } from "../support/PluginFiles.ts"
import { stageNameOf } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const packageFolder = fileURLToPath(new URL("../..", import.meta.url))

/** What is written and read again, below the folders of the user; `*` is a name that is made up. */
const ofPerson: Readonly<Record<string, string>> = {
  "config/task-conductor": "settings, rules and trust, skills and commands of the user",
  "config/task-conductor/config.json": "settings",
  "config/task-conductor/policies.json": "rules and trust that were remembered",
  "home/.local": "",
  "home/.local/state": "",
  "home/.local/state/task-conductor": "",
  "home/.local/state/task-conductor/journal.key": "the key of seals",
  "home/.local/state/task-conductor/caches": "",
  "home/.local/state/task-conductor/caches/*": "the cache of the commands of one project, which alone they may write",
  "home/.local/state/task-conductor/locks": "",
  "home/.local/state/task-conductor/locks/projects": "locks on projects",
  "home/.local/state/task-conductor/locks/projects/*": "",
  "home/.local/state/task-conductor/runs": "",
  "home/.local/state/task-conductor/runs/*": "a run",
  "home/.local/state/task-conductor/runs/*/journal.jsonl": "its records, with answers and baselines",
  "home/.local/state/task-conductor/runs/*/summary.json": "how it ended",
  "home/.local/state/task-conductor/runs/*/versions": "",
  "home/.local/state/task-conductor/runs/*/versions/*": "what undo restores",
  "home/.local/state/task-conductor/copies": "",
  "home/.local/state/task-conductor/copies/*": "working copies, while commands run",
  "home/.local/state/task-conductor/conversations": "",
  "home/.local/state/task-conductor/conversations/*": "",
  "home/.local/state/task-conductor/conversations/*/*": "conversations"
}

/** What is in the folders of commands while they run, and files before they get their name: in the same folders. */
const passing = /^home\/\.local\/state\/task-conductor\/(?:copies\/[^/]+\/.*|.*\.[0-9a-f]{16}\.tmp)$/

const isListed = (relative: string): boolean =>
  passing.test(relative) ||
  Object.keys(ofPerson).some((pattern) =>
    new RegExp(`^${pattern.replace(/[.]/g, "\\.").replaceAll("*", "[^/]+")}$`).test(relative)
  )

/* What a command in the sandbox tries to plant, in every place of the list. */
const planting = `
const fs = require("node:fs")
const places = JSON.parse(process.argv[2])
for (const place of places) {
  try { fs.mkdirSync(place, { recursive: true }) } catch {}
  try { fs.writeFileSync(place + "/planted", "planted") } catch {}
  try { fs.appendFileSync(place, "planted") } catch {}
}
`

const words = (argv: ReadonlyArray<string>): string => argv.map((one) => `'${one}'`).join(" ")

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
  refinement: refinementWith([{ name: "write_file", arguments: { path: "one.js", content: "module.exports = 1\n" } }]),
  execution: resultSaying("It is done."),
  iteration: planOf([])
}

/** A run and a conversation that leave all there is, in folders of their own; `under` is what starts the program. */
const finished = (under: (root: string) => ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sandbox = yield* scopedSandbox()
    const { root } = sandbox
    const places = Object.keys(ofPerson).filter((one) => !one.includes("*"))
    const server = yield* FakeOllama.make(({ messages }) => answers[stageNameOf(messages)] ?? "All is done.")
    mkdirSync(join(root, "tmp"), { mode: 0o1777 })
    sandbox.write("config/task-conductor/config.json", "{}")
    sandbox.write("project/words.ts", wordsModule())
    sandbox.write("project/check.js", planting)
    sandbox.write("project/hook.js", planting)
    sandbox.write("project/.mcp.json", JSON.stringify({ mcpServers: { s: scriptedServer(root) } }))
    const planter = (script: string) => ["node", script, JSON.stringify(places.map((one) => join(root, one)))]
    sandbox.write(
      "project/task-conductor.json",
      JSON.stringify({
        plugins: ["./words.ts"],
        checks: [words(planter("check.js"))],
        hooks: { "before-change": [words(planter("hook.js"))], "run-end": [words(planter("hook.js"))] }
      })
    )
    const rules = ["write_file", "load_plugin:**", "start_server:**", "run_command:**"]
    const allowed = rules.flatMap((rule) => ["--allow", rule])
    const call = (command: string, stdin: string) =>
      Effect.promise(() =>
        sandbox.run([command, "--yes", "--model", fakeModel, ...allowed], {
          env: { OLLAMA_HOST: server.url, TMPDIR: join(root, "tmp") },
          stdin,
          under: under(root)
        })
      )
    const ended = yield* call("run", "Write it.\n")
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stderr, "passed node check.js")
    const asked = yield* call("ask", "What is it?\n")
    assert.deepStrictEqual([asked.code, asked.stdout.includes("All is done.")], [0, true], asked.stderr)
    return root
  })

const madeIn = (root: string): ReadonlyArray<string> =>
  globSync("{home,config}/**/*", { cwd: root }).concat(
    globSync("{home,config}/**/.*", { cwd: root }),
    globSync("home/.local/**/*", { cwd: root })
  )

describe("the places that a run trusts", needs("bwrap", "strace"), () => {
  liveTest("are all in the list, belong to the user alone, and are not written by commands", function* () {
    const calls = "openat,open,execve,rename,renameat2,mkdir,link,symlink,bind,connect"
    const root = yield* finished((folder) => [
      "strace",
      ..."-A -f --seccomp-bpf -qq -s 500 -e".split(" "),
      `trace=${calls}`,
      "-o",
      join(folder, "trace")
    ])
    const made = [...new Set(madeIn(root))].filter(
      (one) => one !== "config/task-conductor" || existsSync(join(root, one))
    )
    assert.isAbove(made.length, 8)
    assert.isTrue(made.some((one) => /\/conversations\/[^/]+\/[^/]+$/.test(one)))
    const unlisted = made.filter((one) => !isListed(one))
    assert.deepStrictEqual(unlisted, [])
    for (const one of made.filter((place) => place.startsWith("home/"))) {
      const { mode, uid } = lstatSync(join(root, one))
      assert.deepStrictEqual([one, mode & 0o077, uid], [one, 0, process.getuid?.()])
    }
    const planted = made.filter((one) => one.endsWith("planted") && !one.includes("/caches/"))
    assert.deepStrictEqual(planted, [])
    assert.deepStrictEqual(readdirSync(join(root, "tmp")), [])
    const seen = placesIn(readFileSync(join(root, "trace"), "utf8"), root)
    assert.deepStrictEqual(seen, [])
  })
})

/** Folders of the system, and those in which the sandbox of a command builds its own root. */
const system = "/usr /lib /lib64 /bin /sbin /etc /proc /sys /dev /opt /newroot /oldroot".split(" ")
/** Folders that are only looked into or mounted, and what the server of the test leaves. */
const others = new Set(["/", "/run", "home", "starts", "messages", "closed"])

/** What a run opened, started, made or connected to that is neither in the list nor of the project, the system or the package. */
const placesIn = (trace: string, root: string): ReadonlyArray<string> => {
  const allowed = [
    ...system,
    join(root, "project"),
    join(root, "tmp"),
    packageFolder.replace(/\/$/, ""),
    realpathSync(join(packageFolder, "node_modules")),
    dirname(process.execPath)
  ]
  const onPath = (process.env["PATH"] ?? "").split(":")
  const isAllowed = (file: string): boolean =>
    [...allowed, ...onPath].some((folder) => file === folder || file.startsWith(`${folder}/`))
  const found = new Set<string>()
  for (const line of trace.split("\n")) {
    if (/ = -1 /.test(line) || /<unfinished/.test(line)) continue
    const [, file] =
      /(?:openat\(AT_FDCWD, |open\(|execve\(|rename\(|mkdir\(|link\(|connect\([^"]*sun_path=|bind\([^"]*sun_path=)"(\/[^"]*)"/.exec(
        line
      ) ?? []
    /* What a command plants in the sandbox is gone with it: what is left of it was looked for. */
    if (file === undefined || isAllowed(file) || file.endsWith("/planted")) continue
    const relative = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : undefined
    if (others.has(relative ?? file) || (relative !== undefined && isListed(relative))) continue
    found.add(relative ?? file)
  }
  return [...found].toSorted()
}
