/**
 * Where the lock of a name is on Linux, for tests that come to it as a stranger would.
 */
import { createHash } from "node:crypto"

export const lockAddress = (name: string): string =>
  `\0task-conductor-${process.getuid?.()}-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`
