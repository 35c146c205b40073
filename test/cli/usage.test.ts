import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { demoLine, makeSandbox, type StartOptions } from "../support/binary.ts"
import { inProcess } from "../support/inProcess.ts"

const sandbox = inProcess(makeSandbox())

beforeAll(() => {
  sandbox.write("project/prompt.md", "Find dead code.\n")
  sandbox.write("project/latin1.md", new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]))
  sandbox.write("project/a-file", "")
  sandbox.write("broken/task-conductor.json", '{\n  "modle": "qwen3",\n  "allow": ["run_command"]\n}\n')
})
afterAll(sandbox.remove)

const help = (command: string) => `Run "task-conductor ${command} --help" for help.\n`

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly options?: StartOptions
  readonly stderr: string
}

const cases: ReadonlyArray<Case> = [
  {
    name: "an unknown command",
    args: ["chekc"],
    stderr: 'There is no command "chekc". Did you mean "check"?\nRun "task-conductor --help" for help.\n'
  },
  {
    name: "an unknown flag",
    args: ["run", "--modle", "x", "hi"],
    stderr: `There is no flag "--modle". Did you mean "--model"?\n${help("run")}`
  },
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
    name: "a prompt given twice",
    args: ["run", "hi", "--prompt-file", "prompt.md"],
    stderr: `The prompt is given twice, as an argument and with --prompt-file. Leave one out.\n${help("run")}`
  },
  {
    name: "a prompt without quotes",
    args: ["plan", "find", "dead", "code"],
    stderr: `Put the prompt in quotes: task-conductor plan "find dead code"\n${help("plan")}`
  },
  {
    name: "a prompt without quotes, between flags",
    args: ["run", "--model", "x", "what", "costs", "$5", "--json"],
    stderr: `Put the prompt in quotes: task-conductor run --model x --json 'what costs $5'\n${help("run")}`
  },
  {
    name: "a prompt without a command",
    args: ["what is this project"],
    stderr:
      'There is no command "what is this project". To have it done, type: task-conductor run "what is this project"\nRun "task-conductor --help" for help.\n'
  },
  {
    name: "a prompt without quotes and command",
    args: ["explain", "it", "--model", "x"],
    stderr:
      'There is no command "explain". To have it done, type: task-conductor run --model x "explain it"\nRun "task-conductor --help" for help.\n'
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
    name: "a number out of range",
    args: ["run", "--max-rounds", "0", "hi"],
    stderr: `Invalid value for flag --max-rounds: "0". Expected a whole number between 1 and 1000.\n${help("run")}`
  },
  {
    name: "a number that is none",
    args: ["run", "--parallel", "many", "hi"],
    stderr: `Invalid value for flag --parallel: "many". Expected a whole number.\n${help("run")}`
  },
  ...[
    {
      name: "flags and values of all kinds",
      args: [
        "run",
        "--foo",
        "--parallel",
        "0",
        "--think=maybe",
        "--seed",
        "-4",
        "--deny",
        "Write",
        "--allow",
        "--",
        "hi"
      ],
      problems: [
        'There is no flag "--foo".',
        "Missing value for flag --allow. Expected: TOOL[:PATTERN].",
        '--deny Write: "Write" is not a tool name. Name one tool, as "task-conductor tools list" shows it.',
        'Invalid value for flag --parallel: "0". Expected a whole number between 1 and 64.',
        'Invalid value for flag --think: "maybe". Expected: "off" | "on" | "low" | "medium" | "high".',
        'Invalid value for flag --seed: "-4". Expected a whole number between 0 and 2147483647.'
      ]
    },
    {
      name: "the value of a flag with a typing error",
      args: ["run", "--paralel=0", "--parallel", "2", "--max-rounds", "x", "hi"],
      problems: [
        'There is no flag "--paralel". Did you mean "--parallel"?',
        'Invalid value for flag --max-rounds: "x". Expected a whole number.'
      ]
    },
    {
      name: "a flag that is given twice, by its short form too",
      args: ["run", "-m", "a", "--model", "", "--no-json=true", "hi"],
      problems: [
        '--no-json takes no value. Leave "true" out.',
        "--model is given more than once (2 occurrences). Leave one.",
        '--model "": The name is empty. Give the name of a model.'
      ]
    },
    {
      name: "what is behind something missing",
      args: ["check", "--kind", "plan", "--format", "xml"],
      problems: [
        "Missing required argument: FILE.",
        'Invalid value for flag --kind: "plan". Expected: "task-list" | "refinement" | "result".',
        'Invalid value for flag --format: "xml". Expected: "human" | "json" | "sarif".'
      ]
    },
    {
      name: "a required flag, which is not missing too",
      args: ["runs", "prune", "--older-than", "-3", "--jsno"],
      problems: [
        'There is no flag "--jsno". Did you mean "--json"?',
        'Invalid value for flag --older-than: "-3". Expected a number of days, such as 30.'
      ]
    },
    {
      name: "flags with words behind them, which are no commands",
      args: ["runs", "--limt", "3", "--xyz", "4"],
      problems: ['There is no flag "--limt".', 'There is no flag "--xyz".']
    },
    {
      name: "short flags, of which each is near each other",
      args: ["run", "-x", "hi"],
      problems: ['There is no flag "-x".']
    }
  ].map(({ args, name, problems }) => ({
    name,
    args,
    stderr: `${problems.join("\n")}\n${help(args[1] === "prune" ? "runs prune" : (args[0] ?? ""))}`
  })),
  {
    name: "a command and its flags",
    args: ["chekc", "--kind", "plan", "x.md"],
    stderr: [
      'There is no command "chekc". Did you mean "check"?',
      'Invalid value for flag --kind: "plan". Expected: "task-list" | "refinement" | "result".',
      'Run "task-conductor --help" for help.\n'
    ].join("\n")
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
    name: "several rules and a model",
    args: ["run", "--model", "", "--allow", "Read File", "--allow", "x:", "--deny", "Write", "hi"],
    stderr: [
      '--model "": The name is empty. Give the name of a model.',
      '--allow Read File: "Read File" is not a tool name. Name one tool, as "task-conductor tools list" shows it.',
      '--allow x:: The pattern after "x:" is empty. Write a path, a URL, or leave the colon out.',
      `--deny Write: "Write" is not a tool name. Name one tool, as "task-conductor tools list" shows it.\n${help("run")}`
    ].join("\n")
  },
  {
    name: "several rules for tools that do not exist",
    args: ["run", "--deny", "write_fil", "--allow", "reed_file", "hi"],
    stderr: `--allow reed_file: there is no tool "reed_file". Use one of: read_file.\n--deny write_fil: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.\n${help("run")}`
  },
  {
    name: "a rule for a tool that does not exist",
    args: ["run", "--deny", "write_fil", "hi"],
    stderr: `--deny write_fil: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.\n${help("run")}`
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
  { name: "nothing to check", args: ["check"], stderr: `Missing required argument: FILE.\n${help("check")}` },
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
  },
  {
    name: "a kind that does not exist",
    args: ["check", "--kind", "plan", "prompt.md"],
    stderr: `Invalid value for flag --kind: "plan". Expected: "task-list" | "refinement" | "result".\n${help("check")}`
  }
]

describe("wrong usage", () => {
  for (const { args, name, options, stderr } of cases) {
    it(`says what is wrong with ${name} and exits 2`, async () => {
      assert.deepStrictEqual(await sandbox.run(args, options), { code: 2, stdout: "", stderr })
    })
  }

  it("keeps no run", async () => {
    for (const command of [["runs"], ["runs", "list"]]) {
      const { stderr, stdout } = await sandbox.run(command)
      assert.deepStrictEqual([stdout, stderr], ["", "There are no runs yet.\n"])
    }
  })

  it("says so in a process of its own as well", async () => {
    const [first] = cases
    const { ended } = sandbox.start(first?.args ?? [])
    assert.deepStrictEqual(await ended, { code: 2, stdout: "", stderr: first?.stderr ?? "" })
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

  it("prints a completion script", async () => {
    const { code, stderr, stdout } = await sandbox.start(["--completions", "bash"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "task-conductor")
  })
})
