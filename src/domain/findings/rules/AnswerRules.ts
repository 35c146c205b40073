/**
 * The rules about whole answers and what they link. Families and rules are in the order of their pages.
 */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, ollmChat, report } from "./Sources.ts"

export const answerRules = [
  family("answers", "Answers", "Answers of a model that cannot be read at all.", {
    "answer-empty": error("Empty answer", "There is nothing to read.", "Write the document that is asked for."),
    "answer-cut-off": error(
      "Answer cut off",
      "It ran into the length limit, and what is missing cannot be guessed.",
      "Answer shorter.",
      "Ask for less at once, or raise contextWindow."
    ),
    "answer-loop": error(
      "Answer repeats itself",
      "A model in a loop does not recover, so the answer is stopped.",
      "Write everything once, and stop."
    ),
    "answer-shape": error(
      "Document does not begin",
      "So much text stands before it that it would no longer fit, or the answer is the document of another stage.",
      "Begin with the first heading of the document."
    ),
    "answer-unfinished": error(
      "Answer or report that is none",
      "A call, a promise, a copied template or a refusal says nothing about the work.",
      "Write what was found or done, or ask for what is still needed."
    ),
    "answer-repeats": note(
      "Text that the answer repeats",
      "A paragraph that was said before, word for word, says nothing more.",
      "Write each paragraph once.",
      report("ollama/ollama/issues/12741")
    ),
    "answer-unwrapped": note(
      "Answer in an object",
      "The object holds one text, which is the answer.",
      "Write the text itself.",
      report("MODSetter/SurfSense/issues/719")
    )
  }),
  family("evidence", "Evidence", "The links of a result and of the answer, held against the project and the run.", {
    "evidence-file": error(
      "Link to a file that does not exist",
      "A reader cannot check a statement by a file that is not there.",
      "Link only files that you were given, by their paths, or leave the link out."
    ),
    "evidence-lines": error(
      "Link to lines that do not exist",
      "The file is shorter, so the number was guessed or miscounted.",
      "Copy the line number from the text that you were given, or link the file without one."
    ),
    "evidence-number": error(
      "Number that the linked line contradicts",
      "A number beside a link to a line is read as what stands there.",
      "Copy the number from the line, or link the line that has it."
    ),
    "evidence-quote": error(
      "Quotation that is not in the file",
      "A text beside a link is read as a copy of what stands there.",
      "Copy the text exactly, or say it in your own words without quoting."
    ),
    "evidence-result": error(
      "Link to a result that does not exist",
      "Only tasks that have finished have results.",
      "Link the result of a finished task, or the file that the statement rests on."
    ),
    "evidence-page": error(
      "Link to a page that nobody fetched",
      "What no call fetched and no text in the prompt names was made up or comes from memory.",
      "Link only pages that were fetched or that a text in the prompt names, or leave the link out."
    ),
    "evidence-corrected": note(
      "Link corrected",
      "The target is certain although the link names it inexactly.",
      "Copy paths and line numbers exactly.",
      ollmChat("docs/plans/done/6.11-DONE-leading-slash-project-path-kludge.md")
    ),
    "evidence-marked": warning(
      "Wrong link marked",
      "No attempt was without wrong links, so the last one was accepted with a mark behind each.",
      "Do not rely on a statement with such a mark; look it up.",
      ofProgram
    )
  })
] as const
