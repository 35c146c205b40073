/**
 * How later prompts show what a task looked at before its calls were written.
 */
import type { CallOutcome } from "../tools/ToolCall.ts"
import { callBlocks } from "./ExecutionBlocks.ts"

/** Room for headings and fences around one output, in characters. */
const frame = 300

/** What stands around the outputs, in characters: headings, fences, and the calls themselves. */
export const frameOfCalls = (outcomes: ReadonlyArray<CallOutcome>): number =>
  outcomes.reduce((sum, { call }) => sum + JSON.stringify(call, null, 2).length + frame, 0)

/** The looks with their outputs in at most about `room` characters; empty without looks. */
export const lookBlocks = (looks: ReadonlyArray<CallOutcome>, room: number): string =>
  looks.length === 0 ? "" : `## What was looked at\n\n${callBlocks(looks, Math.max(0, room - frameOfCalls(looks)))}`
