import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  type CallCapacity,
  fitCalls,
  type ModelCapacity,
  type WindowWish
} from "../../../src/domain/models/ContextWindow.ts"

const lowered = (from: number, window: number) => ({
  text: `The context window is lowered from ${from} to ${window} tokens: the model "m" does not support more.`,
  isLowered: true
})
const fromModelfile = (window: number) => ({
  text: `The context window is ${window} tokens, as the Modelfile of "m" sets num_ctx. Set another with --context-window.`,
  isLowered: false
})
const asLoaded = (window: number) => ({
  text: `The context window is ${window} tokens, with which the server has loaded "m". Set another with --context-window.`,
  isLowered: false
})

const supported = { supportedWindow: 40_960 }
const less = { contextWindow: 131_072, runWindow: 4096 }

const windows: ReadonlyArray<[string, WindowWish, ModelCapacity, window: number, note?: CallCapacity["note"]]> = [
  ["nobody says anything", {}, {}, 8192],
  ["the model supports more than the default", {}, { supportedWindow: 40_960 }, 8192],
  ["the model supports just the default", {}, { supportedWindow: 8192 }, 8192],
  ["the model supports less than the default", {}, { supportedWindow: 2048 }, 2048, lowered(8192, 2048)],
  ["the model is loaded with a larger window", {}, { loadedWindow: 16_384 }, 16_384, asLoaded(16_384)],
  ["the model is loaded with the default", {}, { loadedWindow: 8192 }, 8192],
  ["the model is loaded with a smaller window", {}, { loadedWindow: 4096 }, 8192],
  ["more is loaded than supported", {}, { loadedWindow: 65_536, supportedWindow: 512 }, 512, lowered(65_536, 512)],
  ["the Modelfile sets another", {}, { modelfileWindow: 4096, loadedWindow: 16_384 }, 4096, fromModelfile(4096)],
  ["the user set one", { contextWindow: 4096 }, { modelfileWindow: 32_768, loadedWindow: 16_384, ...supported }, 4096],
  ["the user set more than is supported", { contextWindow: 131_072 }, supported, 40_960, lowered(131_072, 40_960)],
  ["the user set more, and asked for less in this run", less, supported, 40_960, lowered(131_072, 40_960)],
  ["what the run asked for is supported", { contextWindow: 40_960, runWindow: 40_960 }, supported, 40_960],
  ["nobody knows what the model supports", { contextWindow: 131_072 }, {}, 131_072]
]

const calls: ReadonlyArray<readonly [string, WindowWish, ModelCapacity, Pick<CallCapacity, "parallel" | "plans">]> = [
  ["the server does not say its slots", {}, { slots: Infinity }, {}],
  ["the server has one slot", {}, { slots: 1 }, { parallel: 1 }],
  ["the server has two slots", {}, { slots: 2 }, { parallel: 2, plans: 2 }],
  ["the server has more slots than calls may be made", {}, { slots: 65 }, { parallel: 64, plans: 2 }],
  ["the slots share one window", {}, { slots: 4, pool: 8192 }, { parallel: 4 }],
  ["the user set how many plans are asked for", { plans: 1 }, { slots: 4 }, { parallel: 4 }],
  ["the user set how many calls are made", { parallel: 3 }, { slots: 4 }, {}]
]

it.each(windows)("the window when %s", (_, wish, capacity, contextWindow, note) => {
  const fitted = note === undefined ? { contextWindow } : { contextWindow, note }
  expect(fitCalls("m", wish, capacity)).toEqual(Result.succeed(fitted))
})

it("the window that a run asked for is refused when the model supports less", () => {
  const wish = { contextWindow: 131_072, runWindow: 131_072 }
  const what =
    'the model "m" supports 40960 tokens, and 131072 were asked for. Ask for 40960 or fewer, or leave it out.'
  expect(fitCalls("m", wish, supported)).toEqual(Result.fail(what))
})

it.each(calls)("the calls at a time when %s", (_, wish, capacity, atATime) => {
  expect(fitCalls("m", wish, capacity)).toEqual(Result.succeed({ contextWindow: 8192, ...atATime }))
})
