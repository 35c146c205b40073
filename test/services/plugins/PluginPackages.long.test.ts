import { afterAll, describe, expect, it } from "@effect/vitest"
import { chmodSync, chownSync, existsSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { packageFiles, wordsModule } from "../../support/PluginFiles.ts"

const sandboxes: Array<Sandbox> = []
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.remove()
})

type Files = Readonly<Record<string, string>>

/** A sandbox with these files whose project and user configuration name these plugins. */
const open = (
  files: Files,
  named: { readonly project?: ReadonlyArray<string>; readonly user?: ReadonlyArray<string> }
) => {
  const sandbox = makeSandbox()
  sandboxes.push(sandbox)
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text)
  sandbox.write("project/task-conductor.json", JSON.stringify({ plugins: named.project ?? [] }))
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ plugins: named.user ?? [] }))
  return sandbox
}

interface Listed {
  readonly tools: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

/** The tools that are not built in, as `origin: name`, and what is told about plugins. */
const list = async (sandbox: Sandbox, ...flags: ReadonlyArray<string>): Promise<Listed> => {
  const { code, stderr, stdout } = await sandbox.run(["tools", "list", "--json", ...flags])
  expect(code, stderr).toBe(0)
  const tools = JSON.parse(stdout) as ReadonlyArray<{ readonly name: string; readonly origin: string }>
  return {
    tools: tools.filter(({ origin }) => origin !== "built-in").map(({ name, origin }) => `${origin}: ${name}`),
    problems: stderr.split("\n").filter((line) => line !== "")
  }
}

const note = (plugin: string, problem: string) => `note: The plugin "${plugin}" is not used: ${problem}`

const failed = (what: string) => `it failed while loading: ${what}`
const foreign = (what: string) =>
  failed(`it imports ${what}, which is not a file of the plugin, so nobody was asked about it`)

describe.concurrent("plugins of the user", () => {
  it("are found above the configuration folder and need no question", async () => {
    const sandbox = open(
      {
        ...packageFiles("config/node_modules/@team/words", wordsModule()),
        "config/task-conductor/one.mjs": wordsModule({ name: "one", tool: "one" })
      },
      { user: ["@team/words", "./one.mjs"] }
    )
    expect(await list(sandbox)).toStrictEqual({ tools: ["words@1.2.0: word_count", "one: one"], problems: [] })
  })

  it("are found by a flag from the current folder, TypeScript too", async () => {
    const typed = wordsModule().replace("= tool({", "= tool<{ text: string; atLeast?: number }>({")
    const sandbox = open({ "project/tools/words.ts": typed }, {})
    expect(await list(sandbox, "--plugin", "./tools/words.ts")).toStrictEqual({
      tools: ["words: word_count"],
      problems: []
    })
  })

  it("may be a folder that is linked elsewhere", async () => {
    const sandbox = open(packageFiles("elsewhere/words", wordsModule()), { user: ["words"] })
    sandbox.write("config/node_modules/.keep", "")
    symlinkSync(join(sandbox.root, "elsewhere/words"), join(sandbox.root, "config/node_modules/words"))
    expect(await list(sandbox)).toStrictEqual({ tools: ["words@1.2.0: word_count"], problems: [] })
  })
})

describe.concurrent("plugins of the user that others can write", () => {
  const files = {
    ...packageFiles("config/node_modules/words", wordsModule()),
    "config/node_modules/words/lib/more.js": "",
    "config/task-conductor/mine/one.mjs": `import "./parts/more.mjs"\n${wordsModule({ name: "one", tool: "one" })}`,
    "config/task-conductor/mine/parts/more.mjs": 'import "../last.mjs"\n',
    "config/task-conductor/mine/last.mjs": ""
  }
  const words = ["config/node_modules/words/index.js", "config/node_modules/words/lib/more.js"]
  const folders = ["config/node_modules/words/lib", "config/node_modules"]
  const mine = ["/one.mjs", "", "/last.mjs"]
  const one = mine.map((place) => `config/task-conductor/mine${place}`)
  const isRoot = process.getuid?.() === 0

  it.each([...words, ...folders, ...one])("are not loaded when %s is open to all", async (place) => {
    const sandbox = open(files, { user: ["words", "./mine/one.mjs"] })
    const path = join(sandbox.root, place)
    const mode = statSync(path).mode
    chmodSync(path, mode | 0o002)
    const { problems, tools } = await list(sandbox)
    const [left, name] = one.includes(place)
      ? (["words@1.2.0: word_count", "./mine/one.mjs"] as const)
      : (["one: one", "words"] as const)
    expect(tools).toStrictEqual([left])
    const detail = `<root>/${place} is not yours alone: other users can write it. Check what is in it; then make it yours (chown), and run: chmod go-w <root>/${place}`
    expect(problems).toStrictEqual([note(name, detail)])
    chmodSync(path, mode & ~0o022)
    expect((await list(sandbox)).tools).toHaveLength(2)
  })

  it("are not loaded when a file behind a link, or with the sticky bit, is open to all", async () => {
    const sandbox = open({ ...files, "config/shared/other.js": "" }, { user: ["words"] })
    const folder = join(sandbox.root, "config/node_modules/words")
    symlinkSync(join(sandbox.root, "config/shared"), join(folder, "shared"))
    /* Others cannot replace the files of a sticky folder. */
    chmodSync(folder, 0o1777)
    expect((await list(sandbox)).tools).toHaveLength(1)
    for (const [name, mode] of [
      ["shared/other.js", 0o666],
      ["index.js", 0o1666]
    ] as const) {
      chmodSync(join(folder, name), mode)
      const { problems, tools } = await list(sandbox)
      expect(tools).toStrictEqual([])
      expect(problems[0]).toContain(`config/node_modules/words/${name} is not yours alone: other users can write it.`)
      chmodSync(join(folder, name), 0o644)
    }
  })

  it.skipIf(!isRoot)("are not loaded when a group writes them, or another user owns them", async () => {
    const sandbox = open(files, { user: ["words", "./mine/one.mjs"] })
    const at = (place: string) => join(sandbox.root, place)
    chmodSync(at(words[0] ?? ""), 0o664)
    expect((await list(sandbox)).tools).toHaveLength(2)
    chownSync(at(words[0] ?? ""), 0, 12_345)
    chownSync(at(one[0] ?? ""), 12_345, 0)
    const { problems, tools } = await list(sandbox)
    expect(tools).toStrictEqual([])
    expect(problems[0]).toContain(`${words[0]} is not yours alone: other users can write it.`)
    expect(problems[1]).toContain(`${one[0]} is not yours alone: it belongs to another user.`)
  })
})

describe.concurrent("plugins of a project", () => {
  const files = packageFiles("project/node_modules/words", wordsModule())

  it("are named and not loaded until the user trusted them", async () => {
    const writing = 'import { writeFileSync } from "node:fs"\nwriteFileSync("loaded", "")\n'
    const sandbox = open(packageFiles("project/node_modules/words", writing), { project: ["words"] })
    const { problems, tools } = await list(sandbox)
    expect(tools).toStrictEqual([])
    expect(problems.join("\n")).toMatch(
      /^note: The plugin "words" is not used: the project names it and you have not trusted it \(sha256:[0-9a-f]{64}\)\. Start a run on a terminal to be asked, or use --allow "load_plugin:words \*"\.$/
    )
    await sandbox.run(["run", "What is here?"])
    expect(existsSync(join(sandbox.root, "project/loaded"))).toBe(false)
  })

  it("load while their content is what was remembered, and no longer after a change", async () => {
    const sandbox = open(files, { project: ["words"] })
    const hash = /sha256:([0-9a-f]{64})/.exec((await list(sandbox)).problems.join())?.[1] ?? ""
    const rule = { verdict: "allow", tool: "load_plugin", pattern: `words sha256:${hash}` }
    sandbox.write("config/task-conductor/policies.json", JSON.stringify({ version: 1, rules: [rule] }))
    chmodSync(join(sandbox.root, "config/task-conductor/policies.json"), 0o600)
    expect(await list(sandbox)).toStrictEqual({ tools: ["words@1.2.0: word_count"], problems: [] })
    sandbox.write("project/node_modules/words/node_modules/other/index.js", "export {}\n")
    expect((await list(sandbox)).tools).toStrictEqual(["words@1.2.0: word_count"])
    sandbox.write("project/node_modules/words/data.json", "{}\n")
    const { problems, tools } = await list(sandbox)
    expect([tools, problems.length]).toStrictEqual([[], 1])
    expect(problems.join()).not.toContain(hash)
  })

  it("may not import files that nobody was asked about", async () => {
    const outside = 'import "../secret.js"\n'
    const fine = `import "./more.js"\nimport "other"\n${wordsModule({ name: "fine" })}`
    const modules = {
      "project/tools/words.mjs": `import "./more.mjs"\n${wordsModule()}`,
      "project/tools/more.mjs": "export {}\n",
      ...packageFiles("project/node_modules/words", `${outside}${wordsModule()}`),
      "project/node_modules/secret.js": "export {}\n",
      ...packageFiles("project/node_modules/fine", fine),
      "project/node_modules/fine/more.js": "export {}\n",
      "project/node_modules/other/index.js": "import('./inner.js')\n",
      "project/node_modules/other/inner.js": "\n"
    }
    const sandbox = open(modules, { project: ["./tools/words.mjs", "words", "fine"] })
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ allow: ["load_plugin:**"] }))
    expect(await list(sandbox)).toStrictEqual({
      tools: ["fine@1.2.0: word_count"],
      problems: [note("./tools/words.mjs", foreign("./more.mjs")), note("words", foreign("../secret.js"))]
    })
  })

  it("cannot be pinned when they are too large", async () => {
    const sandbox = open(files, { project: ["words"] })
    for (let n = 0; n < 2000; n++) sandbox.write(`project/node_modules/words/data/${n}`, "")
    const why = "<root>/project/node_modules/words has more than 2000 files or 32 MiB without its node_modules."
    const problem = note("words", `its content cannot be pinned, so it cannot be trusted: ${why}`)
    expect((await list(sandbox)).problems).toStrictEqual([problem])
  })

  it("need no question when the user names the same file", async () => {
    const sandbox = open(files, { project: ["words"] })
    expect(await list(sandbox, "--plugin", "words")).toStrictEqual({ tools: ["words@1.2.0: word_count"], problems: [] })
  })
})

describe.concurrent("plugins that cannot be used", () => {
  it("are named with the reason while the others load", async () => {
    const modules: Files = {
      "throws.mjs": 'throw new Error("boom\\nmore")\n',
      "throws-text.mjs": 'throw "text"\n',
      "throws-nothing.mjs": "throw undefined\n",
      "exits.mjs": "process.exit(0)\n",
      "waits.mjs": "await new Promise(() => {})\n",
      "rejects.mjs": "Promise.reject(new Error('late'))\nawait new Promise((done) => setTimeout(done, 1000))\n",
      "pollutes.mjs": "Object.prototype.polluted = true\n",
      "replaces.mjs": "JSON.parse = () => ({})\n",
      "nothing.mjs": "export const plugin = 1\n",
      "shape.mjs": 'export default { name: "shape", apiVersion: 1, tools: {} }\n',
      "built-in.mjs": wordsModule({ name: "built-in", tool: "built_in" }),
      "spoof.mjs": wordsModule({ name: "built-in ", tool: "spoof" }),
      "good.mjs": wordsModule(),
      "same.mjs": wordsModule({ tool: "other" }),
      "text.txt": ""
    }
    const files = Object.fromEntries(
      Object.entries(modules).map(([name, text]) => [`config/task-conductor/${name}`, text])
    )
    const named = [...Object.keys(modules).map((name) => `./${name}`), "./missing.mjs", "no-entry", "closed", "broken"]
    const sandbox = open(
      {
        ...files,
        "config/node_modules/no-entry/package.json": '{"main":"lib/x.js"}',
        "config/node_modules/closed/package.json": '{"exports":{"require":"./x.cjs"}}',
        "config/node_modules/broken/package.json": "{"
      },
      { user: named }
    )
    const { problems, tools } = await list(sandbox)
    expect(tools).toStrictEqual(["words: word_count"])
    const name = "its name is reserved, or not of the form of a package name: lower-case letters, digits and hyphens."
    const shape = "its default export is not a plugin. Export the value that definePlugin returns."
    expect(problems).toStrictEqual(
      [
        ["./throws.mjs", failed("boom")],
        ["./throws-text.mjs", failed("text")],
        ["./throws-nothing.mjs", failed("undefined")],
        ["./exits.mjs", failed("it ended the process while it was imported (exit code 0)")],
        ["./waits.mjs", failed("its import waits for something that never happens")],
        ["./rejects.mjs", failed("it ended the process while it was imported (exit code 1)")],
        ["./pollutes.mjs", failed("it changes Object.prototype.polluted, which all code in the program shares")],
        ["./replaces.mjs", failed("it changes JSON.parse, which all code in the program shares")],
        ["./nothing.mjs", shape],
        ["./shape.mjs", shape],
        ["./built-in.mjs", name],
        ["./spoof.mjs", name],
        ["./same.mjs", "another plugin has the same name. Remove one of them."],
        ["./text.txt", "<root>/config/task-conductor/text.txt is not a file that ends in .ts, .js, .mjs."],
        ["./missing.mjs", "it was not found. Looked for <root>/config/task-conductor/missing.mjs."],
        ["no-entry", "the entry that <root>/config/node_modules/no-entry/package.json names does not exist: lib/x.js."],
        ["closed", 'the "exports" of <root>/config/node_modules/closed/package.json offer nothing to import.'],
        ["broken", "<root>/config/node_modules/broken/package.json is not well formed."]
      ].map(([plugin = "", problem = ""]) => note(plugin, problem))
    )
  })

  it("are told in a run, which goes on without them", async () => {
    const sandbox = open({ "project/README.md": "Weather\n" }, { user: ["not-there"] })
    const { code, stderr } = await sandbox.run(["run", "--skill", "search-code", "Where is `Weather`?"])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^warning: The plugin "not-there" is not used: it was not found\. .* Install it: npm install not-there$/m
    )
  })

  it("are wrong usage when a flag names them: nothing runs without them", async () => {
    const sandbox = open({ "project/README.md": "Weather\n", "project/throws.mjs": 'throw new Error("no")\n' }, {})
    for (const [command, flag, what] of [
      ["run", "not-there", "it was not found."],
      ["ask", "./nope.mjs", "it was not found."],
      ["plan", "./throws.mjs", "it failed while loading: no"]
    ] as const) {
      const { code, stderr, stdout } = await sandbox.run([command, "--plugin", flag, "Where is `Weather`?"])
      expect([code, stdout], stderr).toStrictEqual([2, ""])
      expect(stderr).toContain(`The plugin "${flag}" is not used: ${what}`)
      expect(stderr).not.toContain("planning")
    }
  })
})
