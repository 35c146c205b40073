/**
 * The heading of a step for a person: a heading that only counts, as a plan has it, becomes `Step 2`.
 */
import { printable } from "../text/Printable.ts"

export const stepWords = (title: string): string => printable(title.replace(/^Task section (\d+)(?=$|:)/, "Step $1"))
