/**
 * Stdout for a protocol alone.
 */

/**
 * Redirects to stderr whatever else writes to stdout, code of plugins too. Returns what writes for the protocol, one chunk
 * after another.
 */
export const reserveStdout = (): ((chunk: string | Uint8Array) => Promise<void>) => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return (chunk) => new Promise((resolve) => void write(chunk, () => resolve()))
}
