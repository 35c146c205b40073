/**
 * Reads the paths of tracked files from the index of a git repository, without running git. Supports the versions 2 to
 * 4 of the format (gitformat-index).
 */
import * as Result from "effect/Result"

/** The contents of an index, with paths relative to its repository. */
export interface GitIndex {
  readonly files: ReadonlyArray<string>
  /** Folders that are separate repositories. */
  readonly submodules: ReadonlyArray<string>
  /** For a split index: the name of the shared index whose entries it changes. */
  readonly sharedIndex?: string
}

/** The number of bytes of an entry before its object name: times, numbers, mode, owner and size. */
const statBytes = 40
const modeOffset = 24
const extendedFlag = 0x4000
const longName = 0xfff

const kindBits = 0xf000
const submoduleKind = 0xe000
/** The mode of an entry for a folder in a sparse index. The files of this folder are not checked out. */
const folderKind = 0x4000

interface Entry {
  readonly name: Uint8Array
  readonly mode: number
  readonly next: number
}

/** Reads a number in an index of version 4: how many bytes to cut off the end of the previous name. */
const cutOff = (bytes: Uint8Array, start: number): { readonly value: number; readonly at: number } => {
  let at = start
  let value = (bytes[at] ?? 0) & 127
  while (((bytes[at] ?? 0) & 128) !== 0) {
    at += 1
    value = (value + 1) * 128 + ((bytes[at] ?? 0) & 127)
  }
  return { value, at: at + 1 }
}

interface Index {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly version: number
  /** The length of an object name: 20 bytes, or 32 with SHA-256. */
  readonly hashBytes: number
}

const entryAt = (index: Index, start: number, before: Uint8Array): Entry | undefined => {
  const { bytes, hashBytes, version, view } = index
  const flagsAt = start + statBytes + hashBytes
  if (flagsAt + 2 > bytes.length) return undefined
  const mode = view.getUint32(start + modeOffset)
  const flags = view.getUint16(flagsAt)
  const nameAt = flagsAt + ((flags & extendedFlag) === 0 ? 2 : 4)
  if (version === 4) {
    const cut = cutOff(bytes, nameAt)
    const end = bytes.indexOf(0, cut.at)
    if (end === -1 || cut.value > before.length) return undefined
    const name = Uint8Array.from([...before.subarray(0, before.length - cut.value), ...bytes.subarray(cut.at, end)])
    return { name, mode, next: end + 1 }
  }
  const length = flags & longName
  const end = length < longName ? nameAt + length : bytes.indexOf(0, nameAt)
  if (end === -1 || end >= bytes.length) return undefined
  const size = end - start
  return { name: bytes.subarray(nameAt, end), mode, next: start + size + (8 - (size % 8)) }
}

const nameOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

/** The hash of the shared index, from an extension after the entries. Undefined if this is no split index. */
const sharedBehind = ({ bytes, hashBytes, view }: Index, start: number): string | undefined => {
  for (let at = start; at + 8 <= bytes.length - hashBytes;) {
    const length = view.getUint32(at + 4)
    if (nameOf(bytes.subarray(at, at + 4)) === "link") {
      const name = Array.from(bytes.subarray(at + 8, at + 8 + hashBytes), (byte) => byte.toString(16).padStart(2, "0"))
      return name.every((byte) => byte === "00") ? undefined : `sharedindex.${name.join("")}`
    }
    at += 8 + length
  }
  return undefined
}

/** Reads an index. Fails with the reason as a clause, such as "it is no index". */
export const readGitIndex = (bytes: Uint8Array, hashBytes = 20): Result.Result<GitIndex, string> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || nameOf(bytes.subarray(0, 4)) !== "DIRC") return Result.fail("it is no index")
  const version = view.getUint32(4)
  if (version < 2 || version > 4) return Result.fail(`its version is ${version}`)
  const index: Index = { bytes, view, version, hashBytes }
  /* Decodes like Node decodes file names. */
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const files: Array<string> = []
  const submodules: Array<string> = []
  let at = 12
  let before = new Uint8Array()
  for (let left = view.getUint32(8); left > 0; left -= 1) {
    const entry = entryAt(index, at, before)
    if (entry === undefined) return Result.fail("it ends in the middle of an entry")
    const kind = entry.mode & kindBits
    const name = decoder.decode(entry.name)
    /* An entry without a name replaces an entry of the shared index. The shared index contains the name. */
    if (kind === submoduleKind) submodules.push(name)
    else if (kind !== folderKind && name !== "") files.push(name)
    at = entry.next
    before = Uint8Array.from(entry.name)
  }
  const sharedIndex = sharedBehind(index, at)
  return Result.succeed({ files, submodules, ...(sharedIndex === undefined ? {} : { sharedIndex }) })
}
