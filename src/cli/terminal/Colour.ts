/** Decides by NO_COLOR, FORCE_COLOR and TERM=dumb whether to use colours, and paints text. */

import { lineText, type StyledLine, type TextStyle } from "../../domain/text/TextWidth.ts"

export interface ColourVariables {
  readonly noColor: string | undefined
  readonly forceColor: string | undefined
  readonly term: string | undefined
}

/** NO_COLOR and TERM=dumb win over FORCE_COLOR. Without any of them, only terminals get colours. */
export const wantsColour = (isTerminal: boolean, variables: ColourVariables): boolean => {
  if (variables.term === "dumb" || (variables.noColor ?? "") !== "") return false
  const force = (variables.forceColor ?? "").toLowerCase()
  return force === "" ? isTerminal : force !== "0" && force !== "false"
}

export type Paint = Readonly<Record<TextStyle, (text: string) => string>>

/** Replaces Node's `styleText`, whose import prints a warning if NO_COLOR and FORCE_COLOR are both set. */
const painted = (start: number, end: number) => {
  const [open, close] = [`\u001b[${start}m`, `\u001b[${end}m`]
  return (text: string): string => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`
}

const colours: Paint = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  red: painted(31, 39),
  green: painted(32, 39),
  yellow: painted(33, 39),
  cyan: painted(36, 39)
}

const asIs = (text: string): string => text
const noColours: Paint = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs }

export const makePaint = (coloured: boolean): Paint => (coloured ? colours : noColours)

export const paintLine = (line: StyledLine, paint: Paint): string =>
  line.map((span) => (span.style === undefined ? lineText([span]) : paint[span.style](span.text))).join("")
