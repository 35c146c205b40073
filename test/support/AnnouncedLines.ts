/**
 * How many lines of output a message announces, and how many the next prompt shows when the model asks for more: for calls that share
 * them, for long and short lines, in small and large windows, in replies and behind compactions.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nothingAsked } from "../../src/domain/documents/TurnFormat.ts"
import { fromHost } from "../../src/domain/models/ConversationMessage.ts"
import { numberLines } from "../../src/domain/text/NumberedLines.ts"
import { newSession } from "../../src/services/agent/Session.ts"
import { agentPrompt, workOf } from "./AgentWork.ts"
import { openStages } from "./OpenStages.ts"

const turns = 6

/** Lines of about so many characters with their number, which are of different lengths. */
const linesOf = (characters: number, name = "x"): ReadonlyArray<string> =>
  Array.from({ length: 3000 }, (_, index) => name.padEnd(Math.round((characters - 6) * (0.6 + 0.4 * (index % 3))), "x"))

const announcedIn = (text = ""): number | undefined => {
  const lines = /about (\d+) lines of output with \d+ characters each, shared by the calls of one answer\.$/.exec(
    text.trimEnd()
  )?.[1]
  return lines === undefined ? undefined : Number(lines)
}

/** For each turn: the lines that were announced, and the numbered lines of its outputs in the next prompt. */
const play = Effect.fnUntraced(function* (contextWindow: number, calls: number, characters: number) {
  const files = Object.fromEntries(
    Array.from({ length: turns * calls }, (_, index) => [
      `src/f${index}.ts`,
      linesOf(characters, `x${index}`).join("\n")
    ])
  )
  const answers = [...Array.from({ length: turns }, (_, turn) => `Read ${turn}.`), "Report."]
  const { agent, compaction, messages } = yield* openStages({ answers, files, settings: { contextWindow } })
  const first = fromHost(`Begin.\n\n${numberLines(linesOf(characters).slice(0, 40), 1).join("\n")}\n\nGo on.`)
  const work = workOf(
    { mostTurns: turns + 1 },
    {
      read: (answer) => {
        const turn = Number(/\d+/.exec(answer)?.[0])
        const asked = Array.from({ length: calls }, (_, index) => ({
          uid: `call-${index}`,
          name: "read_file",
          arguments: { path: `src/f${turn * calls + index}.ts`, start_line: 1, end_line: 3000 }
        }))
        return Effect.succeed({ ...nothingAsked, ...(answer === "Report." ? { report: answer } : { calls: asked }) })
      },
      prompt: { ...agentPrompt, system: "s".repeat(contextWindow / 2) }
    }
  )
  yield* agent.run(work, newSession(compaction.withBudgetNote(work, newSession([first]))))
  return Array.from({ length: turns }, (_, turn) => {
    const blocks = (messages[turn + 1]?.join("\n") ?? "").split(/^### Tool call /m)
    const outputs = blocks.filter((block) => block.startsWith(`read_file (turn-${turn + 1}/`))
    return {
      announced: announcedIn(messages[turn]?.at(-1)),
      shown: outputs.map((block) => [...block.matchAll(/^\d+: x\w*$/gm)].length)
    }
  })
})

const shapes = [8192, 32_768].flatMap((window) =>
  [1, 2, 4].flatMap((calls) => [28, 45, 90].map((characters) => [window, calls, characters] as const))
)

/** Whether a shape is among the short tests: one of each window. */
const isMain = ([window, calls, characters]: (typeof shapes)[number]): boolean =>
  calls === 2 && characters === (window === 8192 ? 45 : 90)

/** The tests of the main shapes, or of the others. */
export const testAnnouncedLines = (which: "main" | "others"): void =>
  layer(NodeServices.layer)("the lines that a message announces", (it) => {
    it.effect.each(shapes.filter((shape) => isMain(shape) === (which === "main")))(
      "are those that the next prompt shows: window %i, %i calls, lines of %i characters",
      (shape) =>
        Effect.gen(function* () {
          const all = yield* play(...shape)
          expect(all.filter(({ announced }) => announced !== undefined).length).toBeGreaterThanOrEqual(turns - 1)
          for (const { announced, shown } of all) {
            if (announced === undefined) continue
            const lines = shown.reduce((sum, count) => sum + count, 0)
            expect(lines / announced, JSON.stringify(all)).toBeGreaterThan(0.9)
            expect(lines / announced, JSON.stringify(all)).toBeLessThanOrEqual(1.1)
            expect(Math.max(...shown) - Math.min(...shown), JSON.stringify(all)).toBeLessThanOrEqual(3)
          }
        })
    )
  })
