/**
 * Decides whether to use colours, by NO_COLOR, FORCE_COLOR and TERM=dumb, and paints text. Without colours the paint
 * leaves text unchanged.
 */

import { lineText, type StyledLine, type TextStyle } from "../../domain/text/TextWidth.ts"

/** Not imported: an import loads the whole module, which warns on stderr when NO_COLOR and FORCE_COLOR are both set. */
const { styleText } = process.getBuiltinModule("node:util")

/** The environment variables that control colours. */
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

type Style = TextStyle

/** Words in colour. */
export type Paint = Readonly<Record<Style, (text: string) => string>>

/** Paints, or leaves every text as it is; `wantsColour` decides, so Node must not look at the environment. */
export const makePaint = (coloured: boolean): Paint => {
  const paint = (style: Style) => (text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan")
  }
}

/** A line with its styles as colours. */
export const paintLine = (line: StyledLine, paint: Paint): string =>
  line.map((span) => (span.style === undefined ? lineText([span]) : paint[span.style](span.text))).join("")
