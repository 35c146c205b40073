/**
 * A limit for waiting for real processes and sockets: generous, and the failure says what was seen by then.
 */

/** How long a test waits for one thing, in ms; less than the limit of a test. */
export const waitLimit = 300_000

/** Fails when the promise takes too long, with what `seen` says then. */
export const withinLimit = async <A>(what: string, promise: Promise<A>, seen: () => string): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} did not happen. Seen was:\n${seen()}`)), waitLimit)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
