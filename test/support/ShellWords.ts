/**
 * The commands of a line for a shell, as far as documentation uses shells: quotes, pipes, redirections, variables in front.
 */

const word = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|(\|\||&&|[|;])|(\d?>{1,2}(?:&\d)?|<)|([^\s"'|;<>\\]+)|(\s+)/gy

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "next" | "redirect" | "blank"; readonly text: string }

const piecesOf = (line: string): ReadonlyArray<Piece> =>
  Array.from(line.matchAll(word), ([all, double, single, escaped, next, redirect, plain]): Piece => {
    if (next !== undefined) return { kind: "next", text: next }
    if (redirect !== undefined) return { kind: "redirect", text: redirect }
    const text = double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain
    return text === undefined ? { kind: "blank", text: all } : { kind: "text", text }
  })

/** The words of each command of a line; redirections and a comment at the end are left out. */
export const shellCommands = (line: string): ReadonlyArray<ReadonlyArray<string>> => {
  const commands: Array<Array<string>> = [[]]
  let isNewWord = true
  let isTarget = false
  for (const { kind, text } of piecesOf(line)) {
    const command = commands.at(-1) ?? []
    if (kind === "text" && isNewWord && text.startsWith("#")) break
    if (kind === "next") commands.push([])
    if (kind === "redirect") isTarget = !text.includes("&")
    if (kind === "text" && !isTarget) command.push(isNewWord ? text : `${command.pop() ?? ""}${text}`)
    if (kind === "blank" && isTarget && !isNewWord) isTarget = false
    isNewWord = kind !== "text"
  }
  return commands
}

/** The arguments that task-conductor is given by a line, once for each time that it is started. */
export const conductorArguments = (line: string): ReadonlyArray<ReadonlyArray<string>> =>
  shellCommands(line).flatMap((words) => {
    const named = words.filter(
      (one, index) => !(/^[A-Z_]+=/.test(one) && words.slice(0, index).every((before) => /^[A-Z_]+=/.test(before)))
    )
    const rest = named[0] === "npx" ? named.slice(1) : named
    return rest[0] === "task-conductor" ? [rest.slice(1)] : []
  })
