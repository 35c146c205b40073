/** Texts for the live view: stages, phases of a model call, times. */
import { counted, secondsText } from "../text/Format.ts"
import { printable } from "../text/Printable.ts"
import type { Stage } from "./ActivityKey.ts"
import type { LiveCall } from "./LiveState.ts"

/** When a view is drawn, in milliseconds since 1970. */
export interface ViewTime {
  readonly now: number
  readonly marks: ReturnType<typeof marksAt>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const plainFrames = ["|", "/", "-", "\\"]
const frameMs = 100

const frameAt = (all: ReadonlyArray<string>, now: number): string =>
  all[Math.floor(Math.abs(now) / frameMs) % all.length] ?? ""

/** Markers of lines, in Unicode or ASCII. `work` is animated. */
export const marksAt = (now: number, isUnicode: boolean) =>
  isUnicode
    ? { work: frameAt(frames, now), done: "✔", failed: "✖", skipped: "↷", waiting: "·", open: "▸" }
    : { work: frameAt(plainFrames, now), done: "+", failed: "x", skipped: "-", waiting: ".", open: ">" }

/** The work of each stage in everyday words. */
export const stageText: Readonly<Record<Stage, string>> = {
  plan: "planning",
  task: "working on a task",
  iterate: "checking what is left",
  conclude: "writing the answer",
  ask: "answering"
}

/** A duration, such as `14 s`, `4 min 3 s`, `2 h 5 min`. `ms` is in milliseconds. */
export const clockText = (ms: number): string => secondsText(Math.max(0, Math.floor(ms / 1000)))

const speedText = ({ tokens, tokensPerSecond }: Pick<LiveCall, "tokens" | "tokensPerSecond">): string =>
  [
    ...(tokens === undefined || tokens === 0 ? [] : [`, ${counted(tokens, "token")}`]),
    ...(tokensPerSecond === undefined ? [] : [`, ${Math.round(tokensPerSecond)}/s`])
  ].join("")

/** Describes the phase of a model call. `model` is the run's model. */
export const phaseText = (call: Omit<LiveCall, "call" | "since">, model: string): string => {
  const size = call.promptTokens === undefined ? "" : ` about ${call.promptTokens} tokens`
  switch (call.phase) {
    case "queued":
      return "waiting for a free slot"
    case "sent":
      return "waiting for the model"
    case "connecting":
      return "connecting to the model server"
    case "turn":
      return "waiting for its turn at the model server"
    case "loading":
      return `loading ${printable(call.model ?? model)}`
    case "loading_or_reading":
      return "loading the model or reading"
    case "reading":
      return `reading${size}`
    case "thinking":
      return `thinking${speedText(call)}`
    case "writing":
      return `writing${speedText(call)}`
    case "stalled":
      return `no further word${speedText(call)}`
    case "again":
      return "failed, trying again"
  }
}
