import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandNames, taskConductor } from "../../src/cli/taskConductor.ts"
import { nodeTest } from "../support/nodeTest.ts"

/** The lines of the list of commands, and how many of the commands have flags or commands of their own. */
const linesFor = (words: ReadonlyArray<string>) =>
  Effect.map(taskConductor(words), ({ subcommands }) =>
    subcommands.flatMap(({ commands, group }) =>
      commands.map(({ description, name, shortDescription, subcommands: below }) => ({
        line: `${group}: ${name}: ${shortDescription ?? description}`,
        hasCommands: below.length > 0
      }))
    )
  )

nodeTest("lists every command with the description that the command itself has", function* () {
  const [listed, loaded] = [yield* linesFor([]), yield* linesFor(commandNames)]
  assert.deepStrictEqual(
    listed.map(({ line }) => line),
    loaded.map(({ line }) => line)
  )
  assert.strictEqual(listed.length, commandNames.length)
  assert.isFalse(listed.some(({ hasCommands }) => hasCommands))
  assert.isTrue(loaded.some(({ hasCommands }) => hasCommands))
})

nodeTest("loads the commands that the words name, wherever they are", function* () {
  const loaded = yield* linesFor(["--some", "runs", "tools"])
  assert.deepStrictEqual(
    loaded.filter(({ hasCommands }) => hasCommands).map(({ line }) => line.split(": ")[1]),
    ["runs", "tools"]
  )
})
