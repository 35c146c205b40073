/**
 * The model server of one measured run in a process of its own, so that its work does not count as the client's. It says its
 * address, answers any message with its counts, and ends when its parent lets go of it.
 */
import { startSlotServer } from "../SlotServer.ts"
import { answersFor } from "./answers.ts"

/** 0 slots let no call wait. */
export interface ServerOrder {
  readonly tasks: number
  readonly steps: number
  readonly slots: number
  readonly latency: number
}

const { latency, slots, steps, tasks }: ServerOrder = JSON.parse(process.argv[2] ?? "")
const { stats, url } = await startSlotServer({
  slots: slots === 0 ? Infinity : slots,
  latency,
  // What a fast server sends at a time is some words.
  pieces: 8,
  answer: answersFor(tasks, steps)
})
process.on("message", () => process.send?.(stats))
process.on("disconnect", () => process.exit(0))
process.send?.(url)
