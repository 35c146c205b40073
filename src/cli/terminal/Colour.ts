/**
 * When to colour and with what. The decision follows NO_COLOR, FORCE_COLOR and TERM=dumb; the paint is the identity
 * when the decision is no.
 */

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

/** Words in colour. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

const sequence = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`

/** Paints, or leaves every text as it is. */
export const makePaint = (coloured: boolean): Paint => {
  const style = (open: number, close: number) => (coloured ? sequence(open, close) : (text: string) => text)
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39)
  }
}
