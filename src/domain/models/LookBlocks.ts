/**
 * How later prompts show what a task looked at before its calls were written.
 */
import type { CallOutcome } from "../tools/ToolCall.ts"
import { callBlocks, callFrame } from "./ExecutionBlocks.ts"

const heading = "## What was looked at\n\n"

/** The looks with their outputs in at most `room` characters, or what surrounds them where that is more. */
export const lookBlocks = (looks: ReadonlyArray<CallOutcome>, room: number): string =>
  looks.length === 0 ? "" : `${heading}${callBlocks(looks, Math.max(0, room - heading.length - callFrame(looks)))}`
