/**
 * What a scripted model is asked for: the stage that the system part names. A task is `refinement` until
 * the host has shown an output, and `execution` behind it, or when it has no tools.
 */

interface Prompt {
  readonly system: string
  readonly user: string
}

export const stageName = ({ system, user }: Prompt): string => {
  const stage = /^# Stage: (\w+)$/m.exec(system)?.[1] ?? ""
  if (stage !== "task") return stage
  return /^## Tools$/m.test(system) &&
    !/^(?:### (?:Tool call |Changed: |Not changed: )|- `\w+` was called |## Done so far)/m.test(user)
    ? "refinement"
    : "execution"
}

/** The same for the messages of a request. */
export const stageNameOf = (
  messages: ReadonlyArray<{ readonly role?: string; readonly content?: string | null }>
): string =>
  stageName({
    system: messages[0]?.content ?? "",
    user: messages
      .slice(1)
      .filter(({ role }) => role === undefined || role === "user")
      .map(({ content }) => content ?? "")
      .join("\n")
  })
