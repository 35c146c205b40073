/** True for the message with which a run says that this machine has no sandbox for commands. */
export const isAboutSandbox = (text: string): boolean => text.startsWith("Commands run without a sandbox:")
