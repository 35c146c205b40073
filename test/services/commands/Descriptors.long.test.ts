/**
 * What the program was started with besides stdin, stdout and stderr reaches none of its children: real processes, started
 * with open files as a shell, an editor or a supervisor leaves them.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { environmentOf, makeSandbox, program, type Sandbox } from "../../support/binary.ts"
import { needs } from "../../support/needs.ts"
import { refinementRunning } from "../../support/TestRun.ts"

const canary = "descriptor-canary"
/** Numbers in a row, and after gaps: Node itself looks only at the first ones. */
const given = [3, 4, 5, 9, 10, 16, 17, 20, 40, 63, 200]

/**
 * Lists what a shell has open beside stdin, stdout, stderr, its own script and the list. Another process makes it, since a
 * shell that does opens a folder and pipes of its own.
 */
const prober = `
ls -l /proc/$$/fd >open.txt
while read -r line; do
  link=\${line##* -> } n=\${line%% -> *} n=\${n##* }
  [ "$n" -gt 2 ] || continue
  case $link in *.sh | */probed.txt | */server.txt) ;; *) echo "$link" ;; esac
done <open.txt
echo probed
`

const made: Array<Sandbox> = []
const sandboxWith = (files: Readonly<Record<string, string>>): Sandbox => {
  const sandbox = makeSandbox()
  made.push(sandbox)
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text)
  return sandbox
}
afterAll(() => {
  for (const sandbox of made) sandbox.remove()
})

/** Starts Node with a canary file open at each number; gives all that it wrote. */
const startWithFiles = async ({ root }: Sandbox, words: ReadonlyArray<string>): Promise<string> => {
  const file = openSync(join(root, "canary.txt"), "r+")
  const stdio: Array<"pipe" | "ignore" | number> = ["ignore", "pipe", "pipe"]
  for (const descriptor of given) {
    while (stdio.length < descriptor) stdio.push("ignore")
    stdio[descriptor] = file
  }
  const child = spawn(process.execPath, words, { cwd: join(root, "project"), env: environmentOf(root), stdio })
  closeSync(file)
  let text = ""
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()))
  await new Promise((resolve) => child.on("close", resolve))
  return text
}

const running = ["execute", "run.md", "--yes-this-run", "--allow", "run_command:sh probe.sh"]

describe("open files of a parent", () => {
  it("are there, when a program passes them on", async () => {
    const sandbox = sandboxWith({ "canary.txt": canary, "project/probe.sh": prober })
    const passing = `require("node:child_process").spawnSync("sh", ["probe.sh"], { stdio: "inherit" })`
    assert.include(await startWithFiles(sandbox, ["-e", passing]), "canary.txt")
  })

  const places = [
    ["in the sandbox", "auto", needs("bwrap")],
    ["without a sandbox", "off", {}]
  ] as const
  for (const [where, mode, needed] of places) {
    it(`do not reach a command ${where}`, needed, async () => {
      const sandbox = sandboxWith({
        "canary.txt": canary,
        "project/run.md": refinementRunning("sh", "probe.sh"),
        "project/probe.sh": `exec >probed.txt\n${prober}`,
        "config/task-conductor/config.json": JSON.stringify({
          sandbox: { mode },
          allow: ["run_command:sh probe.sh", "run_command:(no sandbox) sh probe.sh"]
        })
      })
      const text = await startWithFiles(sandbox, [program, ...running])
      const probed = join(sandbox.root, "project/probed.txt")
      assert.isTrue(existsSync(probed), text)
      assert.strictEqual(readFileSync(probed, "utf8"), "probed\n", text)
    })
  }

  it("do not reach MCP servers, nor the process in which a plugin is tried", async () => {
    const list =
      'import { readdirSync, readlinkSync } from "node:fs"\nconst links = readdirSync("/proc/self/fd").map((n) => { try { return readlinkSync(`/proc/self/fd/${n}`) } catch { return "" } })\n'
    const sandbox = sandboxWith({
      "canary.txt": canary,
      "project/server.sh": `exec >server.txt 2>&1\n${prober}`,
      "project/words.ts": `${list}throw new Error(\`tried \${links.join(" ")}\`)\n`
    })
    sandbox.write(
      "config/task-conductor/config.json",
      JSON.stringify({
        mcpServers: { probe: { command: "sh", args: [join(sandbox.root, "project/server.sh")] } },
        plugins: [join(sandbox.root, "project/words.ts")],
        allow: ["start_server:probe*", "start_server:probe *", "load_plugin:**"]
      })
    )
    const text = await startWithFiles(sandbox, [program, "tools", "list"])
    assert.include(text, "tried ")
    assert.notInclude(text, "canary.txt")
    const probed = join(sandbox.root, "project/server.txt")
    assert.isTrue(existsSync(probed), text)
    assert.strictEqual(readFileSync(probed, "utf8"), "probed\n", text)
  })

  it("become empty when another program uses this one as a library, whose files stay open", async () => {
    const sandbox = sandboxWith({ "canary.txt": canary })
    const module = fileURLToPath(new URL("../../support/descriptorProcess.ts", import.meta.url))
    const text = await startWithFiles(sandbox, [module, prober])
    assert.include(text, "probed")
    assert.notInclude(text, "canary.txt")
  })
})
