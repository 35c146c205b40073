/**
 * Signs of life: events that only say that something still goes on. They are of use while it goes on, and of none later.
 */
import type { RunEvent } from "./RunEvent.ts"

/** How long a run is silent at most while a call of a model or a tool goes on, in milliseconds. */
export const lifeEvery = 10_000

export type SignOfLife = Extract<RunEvent, { readonly type: "model.waiting" | "tool.running" }>

export const isSignOfLife = (event: RunEvent): event is SignOfLife =>
  event.type === "model.waiting" || event.type === "tool.running"
