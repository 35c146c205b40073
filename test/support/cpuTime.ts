/** How long a computation takes, whatever else the machine does. */

/** The time of a processor that work in this thread takes, in ms. */
export const cpuTime = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  work()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1000
}
