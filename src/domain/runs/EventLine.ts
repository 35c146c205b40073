/**
 * One event as one flat JSON object: the lines of `--json` and the events of the library.
 */
import * as Schema from "effect/Schema"
import { type RecordedEvent, RunEvent } from "./RunEvent.ts"

/** `type` first, `at` (ISO 8601) second, then the fields of the event, all plain JSON. */
export type FlatEvent = typeof RunEvent.Encoded & { readonly at: string }

const encode = Schema.encodeSync(RunEvent)

/** Flattens a recorded event. */
export const flattenEvent = ({ at, event }: RecordedEvent): FlatEvent => {
  const { type, ...fields } = encode(event)
  return { type, at, ...fields } as FlatEvent
}
