import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { demoLine, makeSandbox, type StartOptions } from "../support/binary.ts"
import { inProcess } from "../support/inProcess.ts"

const sandbox = inProcess(makeSandbox())

beforeAll(() => {
  sandbox.write("project/prompt.md", "Find dead code.\n")
  sandbox.write("project/latin1.md", new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]))
  sandbox.write("project/a-file", "")
  sandbox.write("project/long.md", "word ".repeat(9000))
  sandbox.write("broken/task-conductor.json", '{\n  "modle": "qwen3",\n  "allow": ["run_command"]\n}\n')
})
afterAll(sandbox.remove)

const help = (command?: string) =>
  `Run "task-conductor${command === undefined ? "" : ` ${command}`} --help" for help.\n`

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly options?: StartOptions
  readonly stderr: string | RegExp
}

const cases: ReadonlyArray<Case> = [
  {
    name: "no prompt and an empty stdin",
    args: ["run"],
    stderr: `The prompt is empty. Say what should be done.\n${help("run")}`
  },
  {
    name: "a blank prompt",
    args: ["run", "  "],
    stderr: `The prompt is empty. Say what should be done.\n${help("run")}`
  },
  {
    name: "a flag of every command, misspelt",
    args: ["--verison"],
    stderr: `Unrecognized flag: --verison in command task-conductor\n\n  Did you mean this?\n    --version\n${help()}`
  },
  {
    name: "a flag of every command, misspelt after a command",
    args: ["runs", "--hepl"],
    stderr: `Unrecognized flag: --hepl in command task-conductor runs\n\n  Did you mean this?\n    --help\n${help("runs")}`
  },
  {
    name: "a command of a group, misspelt",
    args: ["runs", "lsit"],
    stderr: `Unknown subcommand "lsit" for "task-conductor runs"\n\n  Did you mean this?\n    list\n${help("runs")}`
  },
  {
    name: "a command of a group that is like none",
    args: ["tools", "shwo"],
    stderr: `Unknown subcommand "shwo" for "task-conductor tools". It has: list, describe.\n${help("tools")}`
  },
  {
    name: "a command of a group by a word of the same meaning",
    args: ["plugins", "add"],
    stderr: `Unknown subcommand "add" for "task-conductor plugins"\n\n  Did you mean this?\n    new\n${help("plugins")}`
  },
  {
    name: "a flag that is like a letter only",
    args: ["doctor", "--fx"],
    stderr: `Unrecognized flag: --fx in command task-conductor doctor\n${help("doctor")}`
  },
  {
    name: "a window that cannot work",
    args: ["run", "--model", "embedded", "--context-window", "100", "hi"],
    stderr:
      /^Cannot use the context window: The prompt needs about \d+ tokens, the context window holds 100\. .* to at least \d+\.$/m
  },
  {
    name: "a prompt that no window holds",
    args: ["plan", "--model", "embedded", "--prompt-file", "long.md"],
    stderr:
      /^Cannot use the prompt: The prompt needs about \d+ tokens, the context window holds 8192\. .* Put long text into a file and refer to it, or raise contextWindow to at least \d+\.$/m
  },
  {
    name: "a skill without a name",
    args: ["run", "--model", "embedded", "--skill", "", "hi"],
    stderr: `Missing value for flag --skill. Expected: NAME, which is not empty\n${help("run")}`
  },
  {
    name: "a project without a name",
    args: ["tools", "list", "--project", " "],
    stderr: `Invalid value for flag --project: " ". Expected: FOLDER, which is not empty\n${help("tools list")}`
  },
  {
    name: "a file without a name",
    args: ["check", ""],
    stderr: "Cannot read a file without a name. Give its path, or - for stdin.\n"
  },
  {
    name: "a number of days out of range",
    args: ["runs", "prune", "--older-than", "-1"],
    stderr: `Invalid value for flag --older-than: "-1". Expected: a whole number of days, such as 30\n${help("runs prune")}`
  },
  {
    name: "two conversations",
    args: ["ask", "--continue", "--session", "1", "hi"],
    stderr: `--continue and --session exclude each other: both name a conversation. Leave one out.\n${help("ask")}`
  },
  {
    name: "conversations of a project that is missing",
    args: ["sessions", "--project", "../missing"],
    stderr: "There is no folder at <root>/missing. Give the project folder with --project, or create it first.\n"
  },
  {
    name: "flags for more and for less",
    args: ["run", "--quiet", "--verbose", "--model", "embedded", "hi"],
    stderr: `--quiet and --verbose exclude each other. Leave one out.\n${help("run")}`
  },
  {
    name: "a plugin that is not there, in a list of tools",
    args: ["tools", "list", "--plugin", "./nowhere.mjs"],
    stderr: /^The plugin "\.\/nowhere\.mjs" is not used: it was not found\./
  },
  {
    name: "a flag that is like none",
    args: ["--purple"],
    stderr: `Unrecognized flag: --purple in command task-conductor\n${help()}`
  },
  {
    name: "a prompt given twice",
    args: ["run", "hi", "--prompt-file", "prompt.md"],
    stderr: `The prompt is given twice, as an argument and with --prompt-file. Leave one out.\n${help("run")}`
  },
  {
    name: "a prompt file that is missing",
    args: ["run", "--prompt-file", "missing.md"],
    stderr: "Cannot read missing.md: there is no such file.\n"
  },
  {
    name: "a project that is missing",
    args: ["run", "--project", "../missing", "hi"],
    stderr: "There is no folder at <root>/missing. Give the project folder with --project, or create it first.\n"
  },
  {
    name: "a project that is a file",
    args: ["tools", "list", "--project", "a-file"],
    stderr: "<root>/project/a-file is not a folder. Give the folder that holds the project with --project.\n"
  },
  {
    name: "flags that exclude each other",
    args: ["run", "--skill", "summarize", "--plan", "plan.md", "hi"],
    stderr: `--skill and --plan exclude each other: both say what the tasks are. Leave one out.\n${help("run")}`
  },
  {
    name: "an environment variable that is no number",
    args: ["run", "hi"],
    options: { env: { OLLAMA_NUM_PARALLEL: "0" } },
    stderr: 'OLLAMA_NUM_PARALLEL: must be a whole number between 1 and 64, but is "0".\n'
  },
  {
    name: "a server address that is none",
    args: ["run", "--model", "qwen3", "hi"],
    options: { env: { OLLAMA_HOST: "http://[" } },
    stderr:
      "OLLAMA_HOST or host: http://[:80 is not the address of a model server. Write it as HOST:PORT or http://HOST:PORT; a key goes into OLLAMA_API_KEY.\n"
  },
  {
    name: "a configuration with mistakes",
    args: ["run", "--project", "../broken", "hi"],
    stderr: [
      '<root>/broken/task-conductor.json:2:3: unknown key "modle". Nearest: model.',
      '<root>/broken/task-conductor.json:3:3: "allow" has no effect in a project\'s file, because only you decide it. Put it into your user configuration or use --allow.\n'
    ].join("\n")
  },
  {
    name: "a rule that is malformed",
    args: ["run", "--allow", "Read File", "hi"],
    stderr: `--allow Read File: "Read File" is not a tool name. Name one tool, as "task-conductor tools list" shows it.\n${help("run")}`
  },
  {
    name: "several rules for tools that do not exist",
    args: ["run", "--deny", "write_fil", "--allow", "reed_file", "hi"],
    stderr: `--allow reed_file: there is no tool "reed_file". Use one of: read_file, remove_file.\n--deny write_fil: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.\n`
  },
  {
    name: "a rule for a tool that does not exist",
    args: ["run", "--deny", "write_fil", "hi"],
    stderr: `--deny write_fil: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.\n`
  },
  {
    name: "a skill that does not exist",
    args: ["run", "--model", "embedded", "--skill", "sumarize", "hi"],
    stderr: demoLine + 'There is no skill "sumarize". Use one of: summarize. See "task-conductor skills list".\n'
  },
  {
    name: "a current file that is missing",
    args: ["run", "--model", "embedded", "--file", "missing.ts", "hi"],
    stderr: `${demoLine}Cannot use the current file: There is no file at <root>/project/missing.ts.\n`
  },
  ...["run", "plan", "ask"].map((command) => ({
    name: `an open file that is missing, with ${command}`,
    args: [command, "--model", "embedded", "--open", "a-file", "--open", "missing.ts", "hi"],
    stderr: `${demoLine}Cannot use the open file: There is no file at <root>/project/missing.ts.\n`
  })),
  {
    name: "a plan that is missing",
    args: ["run", "--plan", "missing.md"],
    stderr: "Cannot read missing.md: there is no such file.\n"
  },
  {
    name: "a plan that is not UTF-8",
    args: ["run", "--plan", "latin1.md"],
    stderr: "Cannot read latin1.md: it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8.\n"
  },
  {
    name: "a document that is missing",
    args: ["check", "missing.md"],
    stderr: "Cannot read missing.md: there is no such file.\n"
  },
  { name: "a document that is a folder", args: ["check", "."], stderr: "Cannot read .: it is a folder.\n" },
  {
    name: "a document on stdin that is not text",
    args: ["check", "-"],
    options: { stdin: new Uint8Array([0, 1, 2, 3]) },
    stderr: "Cannot read stdin: it is binary.\n"
  }
]

/** Lines that the parser refuses: what its words name, and the command whose help is named. */
const refused: ReadonlyArray<readonly [args: string, names: ReadonlyArray<string>, command?: string]> = [
  ["chekc", ["chekc", "check"]],
  ["chekc --kind plan x.md", ["chekc", "check"]],
  ["run --modle x hi", ["--modle", "--model"], "run"],
  ["run --foo --modle hi", ["--foo", "--modle"], "run"],
  ["run --parallel 0 hi", ["--parallel", '"0"', "1 and 64"], "run"],
  ["run --parallel many hi", ["--parallel", "many", "number"], "run"],
  ["run --temperature 2.1 hi", ["--temperature", "2.1", "0 and 2"], "run"],
  ["run --think=maybe hi", ["--think", "maybe", '"low"'], "run"],
  ["run --allow", ["--allow", "TOOL[:PATTERN]"], "run"],
  ["run --deny Write hi", ["--deny", "Write", "tools list"], "run"],
  ["run --model= hi", ["--model", "name of a model"], "run"],
  ["run -m a --model b hi", ["--model", "at most 1"], "run"],
  ["run --no-json=true hi", ["--no-json", "true"], "run"],
  ["check", ["FILE"], "check"],
  ["check --kind plan a.md", ["--kind", "plan", '"refinement"'], "check"],
  ["runs prune --older-than -3", ["--older-than", "-3", "days"], "runs prune"],
  ["runs foo", ["foo"], "runs"],
  ["plan find dead code", ["dead", 'task-conductor run "'], "plan"],
  ["run --model x what costs $5", ["costs", 'task-conductor run "'], "run"],
  ["describe it --model x", ["describe", 'task-conductor run "']]
]

describe("wrong usage", () => {
  for (const [line, names, command] of refused) {
    it(`names what is wrong with "${line}", shows no whole help and exits 2`, async () => {
      const { code, stderr, stdout } = await sandbox.run(line.split(" "))
      assert.deepStrictEqual([code, stdout], [2, ""])
      for (const name of names) assert.include(stderr, name)
      assert.isTrue(stderr.endsWith(help(command)), stderr)
      assert.notInclude(stderr, "USAGE")
    })
  }

  for (const { args, name, options, stderr } of cases) {
    it(`says what is wrong with ${name} and exits 2`, async () => {
      const said = await sandbox.run(args, options)
      assert.deepStrictEqual([said.code, said.stdout], [2, ""], said.stderr)
      if (typeof stderr === "string") assert.strictEqual(said.stderr, stderr)
      else assert.match(said.stderr, stderr)
    })
  }

  it("keeps no run", async () => {
    for (const command of [["runs"], ["runs", "list"]]) {
      const { stderr, stdout } = await sandbox.run(command)
      assert.deepStrictEqual([stdout, stderr], ["", "There are no runs yet.\n"])
    }
  })

  it("says so in a process of its own as well", async () => {
    const args = ["run", "--modle", "x", "hi"]
    assert.deepStrictEqual(await sandbox.start(args).ended, await sandbox.run(args))
  })
})

describe.concurrent("what was asked for", () => {
  it("prints the version alone", async () => {
    const { ended } = sandbox.start(["--version"])
    const { stdout, ...rest } = await ended
    assert.deepStrictEqual(rest, { code: 0, stderr: "" })
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it("prints help in groups, and the same for the word help", async () => {
    const { code, stderr, stdout } = await sandbox.run(["--help"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const groups = ["EVERYDAY:", "RUNS:", "EXTENDING:", "SEVERAL MACHINES:"]
    assert.deepStrictEqual(stdout.match(/^[A-Z ]+:$/gm), groups)
    assert.deepStrictEqual(await sandbox.run(["help"]), { code, stderr, stdout })
    assert.deepStrictEqual(await sandbox.run(["help", "runs", "clean"]), await sandbox.run(["runs", "clean", "--help"]))
    assert.match((await sandbox.run(["version"])).stdout, /^\d+\.\d+\.\d+\n$/)
    assert.deepStrictEqual(await sandbox.run(["help", "chekc"]), await sandbox.run(["chekc"]))
  })

  it("prints help for a command, with an example", async () => {
    const { code, stderr, stdout } = await sandbox.start(["run", "--help"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "--max-rounds N")
    assert.include(stdout, "task-conductor run --plan plan.md --json")
  })

  it("takes --plain wherever progress is drawn", async () => {
    const drawing = ["run", "ask", "plan", "refine", "execute", "iterate", "resume", "fork", "attach"]
    const helps = await Promise.all(drawing.map(async (command) => (await sandbox.run(["help", command])).stdout))
    assert.deepStrictEqual(
      drawing.filter((_, index) => !helps[index]?.includes("--plain")),
      []
    )
  })
})
