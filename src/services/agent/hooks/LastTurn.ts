/**
 * The last answer of an agent: its calls are not made, since nobody would read what came of them, unless a report stands beside them.
 * Calls of work that only plans them are never made.
 */
import type { AgentHook } from "../AgentHook.ts"

export const lastTurn: AgentHook = {
  beforeTools: ({ left, parsed, work: { assignment } }, calls) =>
    assignment.kind === "calls" || (left === 0 && parsed.turn.report === undefined) ? [] : calls
}
