/**
 * The model server of one measured run. It is a separate process, so that its work does not count as work of the
 * client. It prints its address, answers any message with its counts, and ends with its parent.
 */
import { startSlotServer } from "../SlotServer.ts"
import { answersFor } from "./answers.ts"

/** With 0 slots, no call waits. */
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
  // A fast server sends a few words in each piece.
  pieces: 8,
  answer: answersFor(tasks, steps)
})
process.on("message", () => process.send?.(stats))
process.on("disconnect", () => process.exit(0))
process.send?.(url)
