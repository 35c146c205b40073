import { describe, expect, it } from "@effect/vitest"
import { togetherText } from "../../../src/domain/models/ModelMemory.ts"

const small = { name: "small", size: 5e9, isForwarded: false }
const large = { name: "large", size: 20e9, isForwarded: false }

describe("models beside each other", () => {
  it("are said not to fit when they need more than the machine has", () => {
    expect(togetherText([small, large], 24e9)).toBe(
      "The models small (5.0 GB) and large (20.0 GB) need about 30.0 GB together, and the machine has 24.0 GB. The server loads each anew whenever another one is asked. Use one model for all stages, or smaller ones."
    )
    expect(togetherText([small, large], 32e9)).toBeUndefined()
    expect(togetherText([small, large], undefined)).toBeUndefined()
  })

  it("are said not to fit when one alone does not fit the graphics card", () => {
    const memory = { bytes: 20e9, gpuBytes: 16e9, window: 8192 }
    expect(togetherText([small, { ...large, memory }], 64e9)).toContain("does not hold large as a whole")
    expect(togetherText([small, { ...large, memory: { ...memory, gpuBytes: 0 } }], 64e9)).toBeUndefined()
  })

  it("are no question of one model, nor of one that is forwarded", () => {
    expect(togetherText([large], 1e9)).toBeUndefined()
    expect(togetherText([large, { ...small, isForwarded: true }], 1e9)).toBeUndefined()
  })
})
