/**
 * Reads a small file at once. Most files of a project are small, and a run reads hundreds: the steps of the general way, each
 * on another thread, take ten times as long.
 */
import * as Effect from "effect/Effect"
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statfsSync,
  type Stats
} from "node:fs"
import * as path from "node:path"
import { isSystemKind } from "./CanonicalPath.ts"
import { look } from "./FileLook.ts"

const mostBytes = 65_536

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

const withDescriptor = <A>(reach: string, flags: number, use: (descriptor: number) => A): A => {
  const descriptor = openSync(reach, O_RDONLY | O_NOFOLLOW | flags)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The bytes up to the end; undefined if there are more than the buffer holds, whatever size the system reports. */
const readToEnd = (descriptor: number, most: number): Uint8Array | undefined => {
  const buffer = Buffer.allocUnsafe(most + 1)
  let total = 0
  while (total <= most) {
    const count = readSync(descriptor, buffer, total, buffer.length - total, null)
    if (count === 0) return buffer.subarray(0, total)
    total += count
  }
  return undefined
}

const readNow = (file: string, maxBytes: number): Uint8Array | undefined => {
  const folder = path.dirname(file)
  return withDescriptor(folder, O_DIRECTORY, (directory) => {
    const place = `/proc/self/fd/${directory}`
    if (readlinkSync(place) !== folder) return undefined
    const reach = `${place}/${path.basename(file)}`
    const most = Math.min(maxBytes, mostBytes)
    const isSmall = (info: Stats) => info.isFile() && info.size <= most
    if (!isSmall(lstatSync(reach)) || isSystemKind(statfsSync(reach).type)) return undefined
    return withDescriptor(reach, O_NONBLOCK, (descriptor) =>
      isSmall(fstatSync(descriptor)) ? readToEnd(descriptor, most) : undefined
    )
  })
}

/**
 * The bytes of a small regular file at a canonical path, read through a handle of its folder. Undefined for anything else and
 * where the system has no paths of handles: the general way then reads the file or says what is wrong.
 */
export const readSmallFile = (file: string, maxBytes: number): Effect.Effect<Uint8Array | undefined> =>
  process.platform === "linux" ? look(() => readNow(file, maxBytes), undefined) : Effect.undefined
