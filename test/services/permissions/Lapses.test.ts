/**
 * What is said of rules that seem to be about a question and do not allow it any more: on the screen, and where nobody can be asked.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import { type GateQuestion, questionOfAccess, questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { allow, inTask, openGate, prepared } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const server: CanonicalAccess = { _tag: "StartServer", name: "notes", does: ["Starts: notes"], hash: "new" }
const starting = questionOfAccess(inTask("T"), server)

const pin = (letter: string) => ({ origin: "word-count@1.0.0", definition: letter.repeat(64) })

/** A rule of a day for a server as it was. */
const trusted = (name: string, day: string, more: Partial<RememberedRule> = {}): RememberedRule => ({
  ...allow("start_server", `${name} sha256:old`),
  rememberedAt: `${day}T10:00:00.000Z`,
  ...more
})

describe("a rule that does not count any more", () => {
  const warnings = Effect.fnUntraced(function* (question: GateQuestion, remembered: ReadonlyArray<RememberedRule>) {
    const approver = scriptedApprover({ calls: ["once"] })
    const { gate } = yield* openGate({ approver: approver.layer, remembered })
    yield* gate.authorize(question)
    return approver.asked[0]?.[0]?.warnings
  })

  nodeTest("is named by its last day when what is to be started has changed", function* () {
    const said = "It has changed since you trusted it on 2026-03-02."
    expect(yield* warnings(starting, [trusted("notes", "2026-03-01"), trusted("notes", "2026-03-02")])).toStrictEqual([
      said
    ])
  })

  nodeTest("is not one about another server, a plugin of this name, or another version that was denied", function* () {
    for (const rule of [
      trusted("notes-2", "2026-03-01"),
      trusted("notes", "2026-03-01", { tool: "load_plugin" }),
      trusted("notes", "2026-03-01", { verdict: "deny" })
    ]) {
      expect(yield* warnings(starting, [rule])).toBeUndefined()
    }
  })

  const remedyFor = Effect.fnUntraced(function* (question: GateQuestion, remembered: ReadonlyArray<RememberedRule>) {
    const { gate } = yield* openGate({ remembered })
    const { flags, message } = yield* Effect.flip(gate.authorize(question))
    return { flags, message }
  })

  nodeTest("is told with the flag for what is to be started now, where nobody can be asked", function* () {
    const { flags, message } = yield* remedyFor(starting, [trusted("notes", "2026-03-01")])
    expect(flags).toBeUndefined()
    expect(message).toContain(
      'needs approval: It has changed since you trusted it on 2026-03-01. Use --allow "start_server:notes sha256:new" when that is right'
    )
  })

  nodeTest("leaves the flags of a tool of a plugin as they are", function* () {
    const call = prepared("word_count", "medium", [{ _tag: "Host", host: "example.com" }])
    const now = questionOfCall(inTask("T"), { ...call, info: { ...call.info, ...pin("b") } })
    const { flags } = yield* remedyFor(now, [{ ...allow("word_count"), pin: pin("a") }])
    expect(flags).toBe('--allow "word_count:example.com"')
  })
})
