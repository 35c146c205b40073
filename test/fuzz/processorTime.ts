/** What the processor has worked for this process, in ms: on a busy machine the clock says little. */
export const processorTime = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
