/**
 * The last answers of an agent: the model is told how many are left, and calls in the last one are not made, since nobody would read
 * what came of them. Calls of work that only plans them are never made.
 */
import type { AgentHook } from "../AgentHook.ts"
import type { AgentPrompt } from "../Session.ts"

/** So many turns before the last one the model is told how many are left. */
export const warnedTurns = 3

/** What the model can do now, with a warning before the last answers. */
export const instructionFor = (prompt: Pick<AgentPrompt, "instruction">, left: number): string => {
  const warning = left > 1 && left <= warnedTurns ? ` ${left} answers are left.` : ""
  return `${prompt.instruction(left)}${warning}`
}

export const lastTurn: AgentHook = {
  beforeTools: ({ left, parsed, work: { assignment } }, calls) =>
    assignment.kind === "calls" || (left === 0 && parsed.turn.report === undefined) ? [] : calls
}
