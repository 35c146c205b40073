import { assert, describe, it } from "@effect/vitest"
import { fileSandbox } from "../support/fileSandbox.ts"
import type { StartOptions } from "../support/binary.ts"

const sandbox = fileSandbox()

sandbox.write("project/prompt.md", "Find dead code.\n")
sandbox.write("project/latin1.md", new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]))
sandbox.write("project/a-file", "")
sandbox.write("project/long.md", "word ".repeat(9000))
sandbox.write("broken/task-conductor.json", '{\n  "modle": "qwen3",\n  "allow": ["run_command"]\n}\n')

const help = (command?: string) =>
  `Run "task-conductor${command === undefined ? "" : ` ${command}`} --help" for help.\n`

const open = "--open a-file --open missing.ts hi"
const noOpenFile = "Cannot use the open file: There is no file at <root>/project/missing.ts.\n"
const noFolder = "There is no folder at <root>/missing. Give the project folder with --project, or create it first.\n"

/** Lines, and what stderr says of each. */
const cases: ReadonlyArray<[line: string, said: string, options?: StartOptions]> = [
  ["run", "The prompt is empty. Say what should be done.\n"],
  ["--verison", "Unrecognized flag: --verison in command task-conductor\n\n  Did you mean this?\n    --version\n"],
  ["runs lsit", 'Unknown subcommand "lsit" for "task-conductor runs"\n\n  Did you mean this?\n    list\n'],
  ["tools shwo", 'Unknown subcommand "shwo" for "task-conductor tools". It has: list, describe.\n'],
  ["run --model embedded --context-window 100 hi", "Cannot use the context window: The prompt needs about "],
  ["plan --model embedded --prompt-file long.md", "Put long text into a file and refer to it, or raise contextWindow"],
  ["run --model embedded --skill  hi", "Missing value for flag --skill. Expected: NAME, which is not empty\n"],
  ["tools list --project \t", "Expected: FOLDER, which is not empty\n"],
  ["check ", "Cannot read a file without a name. Give its path, or - for stdin.\n"],
  ["ask --continue --session 1 hi", "--continue and --session exclude each other: both name a conversation."],
  ["sessions --project ../missing", noFolder],
  ["run --project ../missing hi", noFolder],
  ["tools list --project a-file", "<root>/project/a-file is not a folder. Give the folder that holds the project"],
  ["run --quiet --verbose --model embedded hi", "--quiet and --verbose exclude each other. Leave one out.\n"],
  ["tools list --plugin ./nowhere.mjs", 'The plugin "./nowhere.mjs" is not used: it was not found.'],
  ["run hi --prompt-file prompt.md", "The prompt is given twice, as an argument and with --prompt-file."],
  ["run --skill summarize --plan plan.md hi", "--skill and --plan exclude each other: both say what the tasks are."],
  ["run --model qwen3 hi", "http://[:80 is not the address of a model server.", { env: { OLLAMA_HOST: "http://[" } }],
  ["run --project ../broken hi", '"allow" has no effect in a project\'s file, because only you decide it.'],
  [
    "run --deny write_fil hi",
    '--deny write_fil: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.'
  ],
  [
    "run --allow reed_file hi",
    '--allow reed_file: there is no tool "reed_file". Use one of: read_file, remove_file.\n'
  ],
  ["run --model embedded --skill sumarize hi", 'There is no skill "sumarize". Use one of: summarize.'],
  [`run --model embedded ${open}`, noOpenFile],
  [`plan --model embedded ${open}`, noOpenFile],
  [`ask --model embedded ${open}`, noOpenFile],
  ["ask --model embedded --file missing.ts hi", "Cannot use the current file: There is no file at <root>/project/m"],
  ["run --prompt-file missing.md", "Cannot read missing.md: there is no such file.\n"],
  ["run --plan latin1.md", "it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8.\n"],
  ["check -", "Cannot read stdin: it is binary.\n", { stdin: new Uint8Array([0, 1, 2, 3]) }]
]

/** Lines that the parser refuses: what its words name, and the command whose help is named. */
const refused: ReadonlyArray<[args: string, names: ReadonlyArray<string>, command?: string]> = [
  ["chekc", ["chekc", "check"]],
  ["run --modle x hi", ["--modle", "--model"], "run"],
  ["run --parallel 0 hi", ["--parallel", '"0"', "1 and 64"], "run"],
  ["run --temperature 2.1 hi", ["--temperature", "2.1", "0 and 2"], "run"],
  ["run --think=maybe hi", ["--think", "maybe", '"low"'], "run"],
  ["run --allow", ["--allow", "TOOL[:PATTERN]"], "run"],
  ["run --deny Write hi", ["--deny Write: ", "is not a tool name", "tools list"], "run"],
  ["run --model= hi", ["--model", "name of a model"], "run"],
  ["run -m a --model b hi", ["--model", "at most 1"], "run"],
  ["run --no-json=true hi", ["--no-json", "true"], "run"],
  ["check", ["FILE"], "check"],
  ["check --kind plan a.md", ["--kind", "plan", '"refinement"'], "check"],
  ["runs prune --older-than -3", ["--older-than", "-3", "days"], "runs prune"],
  ["plan find dead code", ["dead", 'task-conductor run "'], "plan"],
  ["run --model x what costs $5", ["costs", 'task-conductor run "'], "run"],
  ["describe it --model x", ["describe", 'task-conductor run "']]
]

describe("wrong usage", () => {
  it.each(refused)('names what is wrong with "%s", shows no whole help and exits 2', async (line, names, command) => {
    const { code, stderr, stdout } = await sandbox.run(line.split(" "))
    assert.deepStrictEqual([code, stdout], [2, ""])
    for (const name of names) assert.include(stderr, name)
    assert.isTrue(stderr.endsWith(help(command)), stderr)
    assert.notInclude(stderr, "USAGE")
  })

  it.each(cases)("says what is wrong with %j and exits 2", async (line, said, options) => {
    const { code, stderr, stdout } = await sandbox.run(line.split(" "), options)
    assert.deepStrictEqual([code, stdout], [2, ""], stderr)
    assert.include(stderr, said)
  })

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

  it("prints help for a command, with an example, and --plain wherever progress is drawn", async () => {
    const { code, stderr, stdout } = await sandbox.start(["run", "--help"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    for (const text of ["--max-rounds N", "task-conductor run --plan plan.md --json"]) assert.include(stdout, text)
    for (const command of ["run", "ask", "plan", "refine", "execute", "iterate", "resume", "fork", "attach"])
      assert.include((await sandbox.run(["help", command])).stdout, "--plain", command)
  })
})
