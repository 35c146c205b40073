/**
 * When to colour and with what. The decision follows NO_COLOR, FORCE_COLOR and TERM=dumb; the paint is the identity
 * when the decision is no.
 */

/** Got and not imported: an import loads all of the module, which warns on stderr when both variables are set. */
const { styleText } = process.getBuiltinModule("node:util")

/** The environment variables that people use to say what they want. */
export interface ColourWishes {
  readonly noColor: string | undefined
  readonly forceColor: string | undefined
  readonly term: string | undefined
}

/** NO_COLOR and a dumb terminal win over FORCE_COLOR; otherwise only a terminal is coloured. */
export const wantsColour = (isTerminal: boolean, wishes: ColourWishes): boolean => {
  if (wishes.term === "dumb" || (wishes.noColor ?? "") !== "") return false
  const force = (wishes.forceColor ?? "").toLowerCase()
  return force === "" ? isTerminal : force !== "0" && force !== "false"
}

type Style = "bold" | "dim" | "red" | "green" | "yellow"

/** Words in colour. */
export type Paint = Readonly<Record<Style, (text: string) => string>>

/** Paints, or leaves every text as it is; `wantsColour` has decided, so that Node is not to look at the environment. */
export const makePaint = (coloured: boolean): Paint => {
  const paint = (style: Style) => (text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  return { bold: paint("bold"), dim: paint("dim"), red: paint("red"), green: paint("green"), yellow: paint("yellow") }
}
