/**
 * Messages about models, each at most once per run: problems of many calls, models that are not fully on the graphics
 * card, and models that the server loaded again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Usage } from "../../domain/models/ModelAnswer.ts"
import { defaultKeepAlive, loadedAnewText } from "../../domain/models/ModelLoad.ts"
import { memoryText } from "../../domain/models/ModelMemory.ts"
import { wasLoaded } from "../../domain/models/TokenCounts.ts"
import { CurrentServer } from "../providers/Provider.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

export const makeModelNotes = Effect.gen(function* () {
  const events = yield* RunEvents
  const { keepAlive = defaultKeepAlive } = yield* RunSettings
  const { memory: memoryOf = () => Effect.undefined } = yield* CurrentServer
  const answeredAt = new Map<string, number>()

  const saidOnce = new Set<string>()
  /** Reports a fact once per run. */
  const once = (about: string, level: "info" | "warning", text: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (saidOnce.has(about)) return Effect.void
      saidOnce.add(about)
      return events.publish({ type: "message", level, text })
    })

  /** Reports a model that is not fully on the graphics card. */
  const noteMemory = Effect.fnUntraced(function* (name: string) {
    const memory = yield* memoryOf(name)
    const text = memory === undefined || memory.gpuBytes <= 0 ? undefined : memoryText(memory)
    if (text === undefined) return
    const remedy = 'A smaller model or context window may fit; "task-conductor models" says more.'
    yield* events.publish({ type: "message", level: "info", text: `The server has ${name} ${text}. ${remedy}` })
  })
  /** Reports that the server loaded a model again, and why. `before` is when the model last answered. */
  const load = Effect.fnUntraced(function* (name: string, before: number | undefined, usage: Usage) {
    const now = yield* Clock.currentTimeMillis
    /** If several calls waited while the model was loaded, only one of them reports the load. */
    const isNews = before !== undefined && before === answeredAt.get(name) && wasLoaded(usage)
    const hasAnswered = answeredAt.has(name)
    answeredAt.set(name, now)
    if (before === undefined && !hasAnswered) yield* noteMemory(name)
    if (!isNews) return
    const [other] = [...answeredAt].flatMap(([model, at]) => (model !== name && at >= before ? [model] : []))
    const { durationMs, loadMs = 0 } = usage
    const since = { idleMs: now - before - durationMs, keepAlive, otherModel: other }
    yield* events.publish({ type: "message", level: "warning", text: loadedAnewText(name, loadMs, since) })
  })

  return { once, load, answeredAt: (name: string) => answeredAt.get(name) }
})

export type ModelNotes = Effect.Success<typeof makeModelNotes>
