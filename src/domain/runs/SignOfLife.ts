/**
 * Signs of life: events that only say that something still goes on. They are of use while it goes on, and of none later.
 */
import type { RunEvent } from "./RunEvent.ts"

/** How long a run is silent at most while a call of a model or a tool goes on, in milliseconds. */
export const lifeEvery = 10_000

/** How often a call of a model says how far it is, in milliseconds. */
export const progressEvery = 1000

/** How often the text of an answer is told while it is written, in milliseconds. */
export const pieceEvery = 200

const signs = ["model.waiting", "model.progress", "answer.piece", "tool.running"] as const

export type SignOfLife = Extract<RunEvent, { readonly type: (typeof signs)[number] }>

const isSign: ReadonlySet<string> = new Set(signs)

export const isSignOfLife = (event: RunEvent): event is SignOfLife => isSign.has(event.type)

/** Signs that come every second or more often: of use only where they are seen at once. */
export const isFleeting = ({ type }: RunEvent): boolean => type === "model.progress" || type === "answer.piece"
