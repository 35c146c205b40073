import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { needs } from "../support/needs.ts"
import { documentParsers } from "./documentParsers.ts"
import { fuzzedParsers, fuzzParser } from "./FuzzParsers.ts"
import { compareWithGit } from "./GitOracle.ts"
import { fuzzMessages } from "./McpMessages.ts"

describe("the parsers on texts made to break them", () => {
  it.each(fuzzedParsers.map((parser) => [parser.name, parser] as const))("keep what must hold: %s", (_, parser) => {
    const { accepted, defects } = fuzzParser(parser, documentParsers.includes(parser) ? 1000 : 300, 1)
    expect(defects).toEqual([])
    expect(accepted).toBeGreaterThan(3)
  })

  it.live("of MCP messages leave the server answering", () =>
    Effect.gen(function* () {
      const { answered, defects } = yield* fuzzMessages(500, 1)
      expect(defects).toEqual([])
      expect(answered).toBeGreaterThan(100)
    })
  )

  it("see every setting of git that git sees", needs("git"), () => {
    const { accepted, differences } = compareWithGit(150, 1)
    expect(differences).toEqual([])
    expect(accepted).toBeGreaterThan(10)
  })
})
