import { describe, expect, it } from "@effect/vitest"
import {
  type ChosenWindow,
  chooseWindow,
  type WindowFacts,
  windowNote
} from "../../../src/domain/models/ContextWindow.ts"

const choices: ReadonlyArray<readonly [WindowFacts, ChosenWindow]> = [
  [{}, { window: 8192, from: "default" }],
  [{ supported: 40_960 }, { window: 8192, from: "default" }],
  [{ supported: 2048 }, { window: 2048, from: "default", loweredFrom: 8192 }],
  [{ loaded: 16_384 }, { window: 16_384, from: "loaded" }],
  [{ loaded: 4096 }, { window: 8192, from: "default" }],
  [
    { loaded: 65_536, supported: 32_768 },
    { window: 32_768, from: "loaded", loweredFrom: 65_536 }
  ],
  [
    { modelfile: 4096, loaded: 16_384 },
    { window: 4096, from: "modelfile" }
  ],
  [
    { given: 4096, modelfile: 32_768, loaded: 16_384, supported: 40_960 },
    { window: 4096, from: "given" }
  ],
  [
    { given: 131_072, supported: 40_960 },
    { window: 40_960, from: "given", loweredFrom: 131_072 }
  ],
  [{ given: 131_072 }, { window: 131_072, from: "given" }]
]

describe("chooseWindow", () => {
  it.each(choices)("of %j is %j", (facts, chosen) => {
    expect(chooseWindow(facts)).toEqual(chosen)
  })
})

describe("windowNote", () => {
  it("says what a person did not choose", () => {
    expect(windowNote("m", { window: 8192, from: "default" })).toBeUndefined()
    expect(windowNote("m", { window: 4096, from: "given" })).toBeUndefined()
    expect(windowNote("m", { window: 2048, from: "given", loweredFrom: 9000 })).toBe(
      'The context window is lowered from 9000 to 2048 tokens: the model "m" does not support more.'
    )
    expect(windowNote("m", { window: 16_384, from: "loaded" })).toContain("16384 tokens")
    expect(windowNote("m", { window: 16_384, from: "modelfile" })).toContain("Modelfile")
  })
})
