/** The patch of a binary file in git's format: both contents, compressed and encoded as text. */
import { createHash } from "node:crypto"
import { deflateSync } from "node:zlib"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
const lineBytes = 52

/** Encodes four bytes as five characters of base 85. */
const word = (bytes: Buffer): string => {
  let value = bytes.readUInt32BE()
  let text = ""
  for (let at = 0; at < 5; at += 1) {
    text = `${letters[value % 85]}${text}`
    value = Math.floor(value / 85)
  }
  return text
}

/** Encodes one line. Its first character is the number of bytes. */
const line = (bytes: Buffer): string => {
  const length = String.fromCharCode(bytes.length <= 26 ? 64 + bytes.length : 70 + bytes.length)
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
  return length + Array.from({ length: padded.length / 4 }, (_, at) => word(padded.subarray(at * 4))).join("")
}

const literal = (content: Uint8Array): string => {
  const packed = deflateSync(content)
  const lines = Array.from({ length: Math.ceil(packed.length / lineBytes) }, (_, at) =>
    line(packed.subarray(at * lineBytes, (at + 1) * lineBytes))
  )
  return `literal ${content.length}\n${lines.join("\n")}\n`
}

const absent = "0".repeat(40)

/** The name that git gives an object with this content. */
const blobName = (content: Uint8Array | undefined): string =>
  content === undefined ? absent : createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")

/** The lines of a patch after its header. `before` is undefined for a new file, and `after` for a removed file. */
export const binaryPatch = (before: Uint8Array | undefined, after: Uint8Array | undefined): string => {
  const nothing = new Uint8Array()
  return `index ${blobName(before)}..${blobName(after)}\nGIT binary patch\n${literal(after ?? nothing)}\n${literal(before ?? nothing)}\n`
}
