/**
 * Words that begin with a dash, with the flags of the real commands and on the command line.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fromCommand } from "effect/cli/Completions"
import { hasDashedWords, readDashedWords } from "../../../src/cli/terminal/DashedWords.ts"
import { taskConductor } from "../../../src/cli/taskConductor.ts"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

const read = (argv: ReadonlyArray<string>) =>
  Effect.map(taskConductor(argv), (program) => readDashedWords(fromCommand(program), argv))

const prompts = [
  "- fix the test",
  "-1 is returned",
  "--- title",
  "-h what is it?",
  "--help me with the parser",
  "--version is wrong",
  "--json-like thing",
  "--model qwen3 is slow",
  "-q is ignored",
  "-- is not read",
  "-\tfix it",
  "-fix\nthe test",
  "- [ ] a task\n- [x] another",
  "--x=1 is wrong",
  "-> points at nothing"
]

/** Words, each behind a comma, with what the parser gets; the same where that is absent. */
const lines: ReadonlyArray<readonly [given: string, argv?: string]> = [
  ["ask,--model,a b,hello"],
  ["ask,--model=a b,hello"],
  ["ask,-m=a b,hello"],
  ["run,--allow=edit_file:my dir/**,hello"],
  ["ask,--modle=a b,hello"],
  ["ask,-1"],
  ["ask,-"],
  ["ask,-q,hello"],
  ["ask,-h"],
  ["ask,-q,- fix it,--no-save", "ask,-q,--no-save,--,- fix it"],
  ["run,--json,- fix it", "run,--json,--,- fix it"],
  ["run,--model,qwen3:8b,- fix it", "run,--model,qwen3:8b,--,- fix it"],
  ["run,--prompt-file,- my file.md", "run,--prompt-file=- my file.md"],
  ["ask,- fix it,and more", "ask,--,- fix it,and more"],
  ["ask,first,- fix it", "ask,first,--,- fix it"],
  ["ask,- fix it,--,more", "ask,--,- fix it,more"],
  ["ask,--,- fix it,-q"],
  ["check,- my plan.md", "check,--,- my plan.md"]
]

const problems: ReadonlyArray<readonly [argv: ReadonlyArray<string>, problem: string]> = [
  [
    ["ask", "-fix"],
    'Unrecognized flag: -fix in command task-conductor ask. If it is a prompt, put -- before it: task-conductor ask -- "-fix"'
  ],
  [
    ["run", "-help"],
    'Unrecognized flag: -help in command task-conductor run. If it is a prompt, put -- before it: task-conductor run -- "-help"'
  ],
  [["- fix it"], 'There is no command. For a prompt: task-conductor run "- fix it"']
]

describe("a word that begins with a dash", () => {
  nodeTest("is a prompt of run, plan and ask when it has a blank", function* () {
    for (const [index, prompt] of prompts.entries()) {
      const command = ["run", "plan", "ask"][index % 3] ?? ""
      assert.isTrue(hasDashedWords([command, prompt]), prompt)
      assert.deepStrictEqual(yield* read([command, prompt]), { argv: [command, "--", prompt] }, prompt)
    }
  })

  nodeTest("goes behind the flags, and the values of flags stay with them", function* () {
    for (const [given, argv = given] of lines)
      assert.deepStrictEqual(yield* read(given.split(",")), { argv: argv.split(",") })
  })

  nodeTest("that is no flag and has no blank is an error with what to do", function* () {
    for (const [argv, problem] of problems) assert.deepStrictEqual(yield* read(argv), { argv, problem })
  })

  it("never prints the help in place of an answer", async () => {
    for (const prompt of ["- Where is the limit?", "-h what is it?", "--help me"]) {
      const { code, stdout } = await sandbox.run(["ask", "--model", "embedded", "--no-save", "-q", prompt])
      assert.deepStrictEqual([code, stdout.includes("USAGE")], [0, false], prompt)
    }
    for (const argv of [["ask", "-help"], ["run", "--titel"], ["plan", "-x"], ["-h what is it?"]]) {
      const { code, stderr, stdout } = await sandbox.run(argv)
      assert.deepStrictEqual([code, stdout], [2, ""], argv.join(" "))
      assert.match(stderr, / -- "|For a prompt: task-conductor run "/, argv.join(" "))
    }
  })

  it("that is a misspelled flag with a blank in its value is said with the flag that was meant", async () => {
    for (const argv of [
      ["ask", "--modle=a b", "hi"],
      ["ask", "--modle", "a b", "hi"],
      ["run", "--alow=edit_file:my dir/**", "hi"]
    ]) {
      const { code, stderr } = await sandbox.run(argv)
      assert.strictEqual(code, 2)
      assert.match(stderr, /Unrecognized flag: --\w+.*Did you mean this\?\s+--(?:model|allow)/s)
    }
  })
})
