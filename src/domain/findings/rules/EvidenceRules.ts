/** The rules of the family `evidence`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const evidenceRules = defineFamily({
  family: "evidence",
  title: "Evidence",
  about: "The links of a result and of the answer, held against the project and the run.",
  rules: {
    "evidence-file": {
      severity: "error",
      title: "Link to a file that does not exist",
      why: "A reader cannot check a statement by a file that is not there.",
      fix: "Link only files that you were given, by their paths, or leave the link out."
    },
    "evidence-lines": {
      severity: "error",
      title: "Link to lines that do not exist",
      why: "The file is shorter, so the number was guessed or miscounted.",
      fix: "Copy the line number from the text that you were given, or link the file without one."
    },
    "evidence-quote": {
      severity: "error",
      title: "Quotation that is not in the file",
      why: "A text beside a link is read as a copy of what stands there.",
      fix: "Copy the text exactly, or say it in your own words without quoting."
    },
    "evidence-result": {
      severity: "error",
      title: "Link to a result that does not exist",
      why: "Only tasks that have finished have results.",
      fix: "Link the result of a finished task, or the file that the statement rests on."
    },
    "evidence-page": {
      severity: "error",
      title: "Link to a page that nobody fetched",
      why: "What no call fetched and no text in the prompt names was made up or comes from memory.",
      fix: "Link only pages that were fetched or that a text in the prompt names, or leave the link out."
    },
    "evidence-corrected": {
      severity: "note",
      title: "Link corrected",
      why: "The target is certain although the link names it inexactly.",
      fix: "Copy paths and line numbers exactly."
    },
    "evidence-marked": {
      severity: "warning",
      title: "Wrong link marked",
      why: "No attempt was without wrong links, so the last one was accepted with a mark behind each.",
      fix: "Do not rely on a statement with such a mark; look it up."
    }
  }
})
