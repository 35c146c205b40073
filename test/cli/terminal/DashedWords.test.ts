import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fromCommand } from "effect/cli/Completions"
import { hasDashedWords, readDashedWords } from "../../../src/cli/terminal/DashedWords.ts"
import { taskConductor } from "../../../src/cli/taskConductor.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const sandbox = fileSandbox()

const read = (argv: ReadonlyArray<string>) =>
  Effect.map(taskConductor(argv), (program) => readDashedWords(fromCommand(program), argv))

const prompts = [
  "-1 is returned",
  "-h what is it?",
  "--version is wrong",
  "--model qwen3 is slow",
  "-- is not read",
  "-\tfix it",
  "- [ ] a task\n- [x] another",
  "--x=1 is wrong",
  "-> points at nothing"
]

/** Words, each behind a comma, with what the parser gets; the same where that is absent. */
const lines: ReadonlyArray<readonly [given: string, argv?: string]> = [
  ["ask,--model,a b,hello"],
  ["ask,-m=a b,hello"],
  ["run,--allow=edit_file:my dir/**,hello"],
  ["ask,--modle=a b,hello"],
  ["ask,-"],
  ["ask,-h"],
  ["ask,-q,- fix it,--no-save", "ask,-q,--no-save,--,- fix it"],
  ["run,--model,qwen3:8b,- fix it", "run,--model,qwen3:8b,--,- fix it"],
  ["run,--prompt-file,- my file.md", "run,--prompt-file=- my file.md"],
  ["ask,- fix it,and more", "ask,--,- fix it,and more"],
  ["ask,- fix it,--,more", "ask,--,- fix it,more"],
  ["ask,--,- fix it,-q"],
  ["check,- my plan.md", "check,--,- my plan.md"]
]

const problems: ReadonlyArray<readonly [argv: ReadonlyArray<string>, problem: string]> = [
  [
    ["ask", "-fix"],
    'Unrecognized flag: -fix in command task-conductor ask. If it is a prompt, put -- before it: task-conductor ask -- "-fix"'
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
    const asked = await sandbox.run(["ask", "--model", "embedded", "--no-save", "-q", "-h what is it?"])
    assert.deepStrictEqual([asked.code, asked.stdout.includes("USAGE")], [0, false])
    const wrong = await sandbox.run(["ask", "--modle=a b", "hi"])
    assert.strictEqual(wrong.code, 2)
    assert.match(wrong.stderr, /Unrecognized flag: --modle.*Did you mean this\?\s+--model/s)
  })
})
