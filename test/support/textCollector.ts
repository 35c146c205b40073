/**
 * A stream that keeps what is written to it as one text.
 */
import { Writable } from "node:stream"

export const textCollector = () => {
  let text = ""
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      done()
    }
  })
  return { stream, text: () => text }
}
