/**
 * The end of a reply: what the model can do now, with a warning before its last answers.
 */
import type { AgentPrompt } from "./Session.ts"

/** So many turns before the last one the model is told how many are left. */
export const warnedTurns = 3

export const instructionFor = (prompt: Pick<AgentPrompt, "instruction">, left: number): string => {
  const warning = left > 1 && left <= warnedTurns ? ` ${left} answers are left.` : ""
  return `${prompt.instruction(left)}${warning}`
}
