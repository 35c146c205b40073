/**
 * Bytes to text, strictly: UTF-8 or a word about what the bytes are instead. Used wherever a file becomes prompt text.
 */
import * as Result from "effect/Result"

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** Zero bytes at every second place: text in UTF-16 without a mark. */
const looksLikeUtf16 = (bytes: Uint8Array): boolean => {
  const sample = bytes.subarray(0, 512)
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1
  const half = sample.length / 2
  return sample.length >= 4 && Math.max(...zeros) > half * 0.7 && Math.min(...zeros) < half * 0.1
}

/** Control characters that no text holds; tab, line ends and form feed are fine. */
const hasControls = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, 4096).some((byte) => (byte < 32 && ![9, 10, 12, 13, 27].includes(byte)) || byte === 127)

const guess = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff) || looksLikeUtf16(bytes)) {
    return "it looks like UTF-16; convert it to UTF-8"
  }
  return hasControls(bytes)
    ? "it is binary"
    : "it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8"
}

/**
 * The text of UTF-8 bytes without the byte order mark. Fails with the likely nature of the bytes, worded to follow
 * "because": `it is binary`, `it looks like UTF-16; convert it to UTF-8`.
 */
export const decodeText = (bytes: Uint8Array): Result.Result<string, string> => {
  if (bytes.includes(0)) return Result.fail(guess(bytes))
  try {
    return Result.succeed(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return Result.fail(guess(bytes))
  }
}

/** True when the bytes begin with the UTF-8 byte order mark. */
export const hasByteOrderMark = (bytes: Uint8Array): boolean => startsWith(bytes, 0xef, 0xbb, 0xbf)
