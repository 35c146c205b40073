/** The rules of the family `surroundings`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const surroundingsRules = defineFamily({
  family: "surroundings",
  title: "What surrounds an answer",
  about:
    "Models put text around an answer that is no part of it: reasoning, small talk, a code block around everything. It is removed, and line numbers stay those of the original text.",
  rules: {
    "document-too-large": {
      severity: "error",
      title: "Document too large",
      why: "A text above the limit is not parsed, so that reading never hangs.",
      fix: "Answer with the document only."
    },
    "fence-unclosed": {
      severity: "error",
      title: "Fence never closed",
      why: "It is unclear where the code ends and the document goes on.",
      fix: "Close the code block with a fence of the same length on a line of its own."
    },
    "byte-order-mark": {
      severity: "note",
      title: "Byte order mark",
      why: "It is an invisible first character.",
      fix: "Write no byte order mark."
    },
    "line-endings": {
      severity: "note",
      title: "Line endings",
      why: "Lines end with a line feed only.",
      fix: "End lines with a line feed."
    },
    "thinking-removed": {
      severity: "note",
      title: "Thinking removed",
      why: "The reasoning of a model is not part of its answer.",
      fix: "Write the document only."
    },
    "fence-unwrapped": {
      severity: "note",
      title: "Answer in a fence",
      why: "The whole answer stood in one code block.",
      fix: "Write the document without a code block around it."
    },
    "fence-closed": {
      severity: "warning",
      title: "Fence closed at the end",
      why: "The last code block was not closed.",
      fix: "Close every code block."
    },
    "fence-ignored": {
      severity: "warning",
      title: "Stray fence ignored",
      why: "A fence in the copied prompt would have swallowed the document.",
      fix: "Close every code block."
    },
    "quote-unwrapped": {
      severity: "note",
      title: "Answer as a quote",
      why: "Every line started with `>`.",
      fix: "Write the document without quote marks."
    },
    "indentation-removed": {
      severity: "note",
      title: "Answer indented",
      why: "Every line was indented.",
      fix: "Start every line without indentation."
    },
    "preamble-ignored": {
      severity: "note",
      title: "Text before the first heading",
      why: "A document begins with its first heading; text before it is ignored.",
      fix: "Begin with the first heading."
    }
  }
})
