import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { fittedResults, frameOf, leastResults, resultBlocks } from "../../../src/domain/models/ExecutionBlocks.ts"
import { assumedScale } from "../../../src/domain/models/PromptSize.ts"
import { finished } from "../../support/sampleTasks.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const resultsOf = (count: number, words: number) =>
  Array.from({ length: count }, (_, index) => finished(`Look at item ${index + 1}`, "word ".repeat(words).trim()))

/** The names in a text, as headings or in a list. */
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:###|-) (Look at item \d+)$/gm)].map(([, name = ""]) => name)

const frameIn = (window: number, rest: number) =>
  frameOf((text) => ({ system: "s".repeat(rest), user: text }), window, assumedScale)

it("tells less of each task in steps, so that all are named as long as there is room", () => {
  const results = resultsOf(200, 40)
  const form = { expected: true }
  const windows = [20_000, 8000, 7000, 4000]
  const frames = [...windows.map((window) => frameIn(window, 0)), frameIn(2048, 3000)]
  const shown = frames.map((frame) => fittedResults(results, frame, form))
  const facts = shown.map((text) => [
    namesIn(text).length,
    text.includes("To deliver"),
    text.includes("word word"),
    text.includes("only names are shown")
  ])
  expect(facts).toEqual([
    [200, true, true, false],
    [200, true, true, false],
    [200, false, true, false],
    [200, false, false, true],
    [expect.any(Number), false, false, true]
  ])
  expect(shown.at(-1)).toMatch(/\n- \d+ more tasks have finished; there is no room for the names\.$/)
})

it("shows short summaries whole where the notes that they are cut would take more room", () => {
  const results = resultsOf(300, 1)
  expect(fittedResults(results, frameIn(5000, 0))).toBe(resultBlocks(results, Number.POSITIVE_INFINITY))
})

it("shows the whole of one short result where that is shorter than a text without its name", () => {
  const results = resultsOf(1, 0)
  const frame = frameIn(2048, 5237)
  const text = fittedResults(results, frame, { expected: true })
  expect(frame.fits(text)).toBe(true)
  expect(frame.fits(leastResults(results))).toBe(true)
})

it.prop(
  "fits whenever the rest of the prompt does, and names as many tasks as there is room for",
  { count: between(0, 2000), words: between(0, 60), window: between(2048, 262_144), rest: between(0, 40_000) },
  ({ count, rest, window, words }) => {
    const results = resultsOf(count, words)
    const frame = frameIn(window, rest)
    const text = fittedResults(results, frame, { expected: true })
    const isPossible = frame.fits(leastResults(results))
    expect(frame.fits(text)).toBe(isPossible)
    if (!isPossible) return
    const whole = resultBlocks(results, Number.POSITIVE_INFINITY, { expected: true })
    if (frame.fits(`${whole}${" ".repeat(10)}`)) expect(text).toBe(whole)
    const names = namesIn(text)
    expect(names).toEqual(results.slice(0, names.length).map(({ name }) => name))
    const next = results[names.length]
    if (next === undefined) return
    expect(text).toContain(`- ${count - names.length} more task`)
    expect(frame.budget(text)).toBeLessThan(`- ${next.name}\n`.length + 2)
  }
)
