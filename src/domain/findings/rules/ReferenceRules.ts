/**
 * The rules of the families `references` and `evidence`: links of tasks, results and answers. Each family is in the
 * order of its page.
 */
import { defineFamily } from "./Rule.ts"

const targets =
  "Use a heading such as #project-description, a result such as #research-1-results, the path of a file, or an http(s) URL."

export const referencesRules = defineFamily({
  family: "references",
  title: "References",
  about: "The links of a task: their form, what they mean in the list, and what they find in the project.",
  rules: {
    "references-prose": {
      title: "References without a link",
      why: "The host resolves links; it does not interpret prose.",
      fix: "Write markdown links only, or leave the field out."
    },
    "reference-empty": {
      title: "Link without target",
      why: "There is nothing to resolve.",
      fix: targets
    },
    "reference-glob": {
      title: "Pattern as reference",
      why: "A reference is one file.",
      fix: "Link each file by its own path, or let the task search for files."
    },
    "reference-folder": {
      title: "Folder as reference",
      why: "A reference is one file.",
      fix: "Link the files in it by their own paths, or let the task list the folder."
    },
    "reference-spaces": {
      title: "Spaces in a link target",
      why: "Markdown ends the target at the space.",
      fix: "Put a target with spaces between angle brackets."
    },
    "reference-kind": {
      title: "Unknown kind of reference",
      why: "Only headings, results, files and web pages are resolved.",
      fix: targets
    },
    "reference-url": {
      title: "Invalid URL",
      why: "It cannot be fetched.",
      fix: "Write the complete address with https:// and without spaces."
    },
    "reference-self": {
      title: "Task refers to its own result",
      why: "The result does not exist while the task runs.",
      fix: "Remove the reference."
    },
    "reference-order": {
      title: "Result of the same or a later section",
      why: "Results exist only for strictly earlier sections.",
      fix: "Move the task into a section after the one it refers to."
    },
    "reference-task-unknown": {
      title: "Result of an unknown task",
      why: "No task of the list has this name.",
      fix: "Add that task in an earlier section, or leave the reference out."
    },
    "reference-missing": {
      title: "File not found",
      why: "A task cannot read what is not there.",
      fix: "Refer to a file that exists, absolute or relative to the project.",
      help: "Name the files with their paths in the request, or open them with --file."
    },
    "reference-unreadable": {
      title: "Target cannot be read",
      why: "Only text can be shown to a model.",
      fix: "Correct the reference or leave it out.",
      help: "Check that the files can be read and are text."
    },
    "reference-denied": {
      title: "Target that would be denied",
      why: "A task whose reference is denied is lost when it runs.",
      fix: "Leave the reference out, or refer to something that may be read.",
      help: "Allow it with --allow, or start the run on a terminal."
    },
    "reference-lines": {
      title: "Lines that the file does not have",
      why: "There would be nothing to read.",
      fix: "Refer to lines that the file has."
    },
    "reference-heading-unknown": {
      title: "Unknown heading",
      why: "A heading that is not there has no text.",
      fix: "Refer to a heading that exists."
    },
    "references-too-large": {
      title: "References too large",
      why: "A long reference is shown in parts, but so many have no room even for their outlines.",
      fix: "Narrow the largest references to lines or a heading, or leave them out.",
      help: "Ask for less at once, or raise contextWindow, and referenceBudget if you have set it."
    },
    "task-too-large": {
      title: "Task too large",
      why: "The prompts of a task must fit into the window of the model, with room for outputs and an answer.",
      fix: "Shorten the task, move long text into a file and refer to it, or split the task.",
      help: "Ask for less at once, or raise contextWindow."
    },
    "references-none": {
      severity: "note",
      title: "Word for no references",
      why: "An empty field says the same.",
      fix: "Leave the field out."
    },
    "reference-own-dropped": {
      severity: "warning",
      title: "Own result left out of a refinement",
      why: "The result does not exist while the task runs, and the plan does not refer to it.",
      fix: "Refer to results of other tasks only."
    },
    "references-text": {
      severity: "warning",
      title: "Text beside links ignored",
      why: "Only links are resolved.",
      fix: "Write links only."
    },
    "reference-form": {
      severity: "note",
      title: "Link in another form",
      why: "Split by marks, in backticks, without a label, a bare URL.",
      fix: "Write `[title](target)`."
    },
    "reference-target": {
      severity: "note",
      title: "Target spelled differently",
      why: "Exactly one target can be meant.",
      fix: "Write the target as the host names it."
    },
    "links-not-read": {
      severity: "warning",
      title: "Links not read",
      why: "The section is too large or too nested to look for links.",
      fix: "Keep sections small."
    }
  }
})

export const evidenceRules = defineFamily({
  family: "evidence",
  title: "Evidence",
  about: "The links of a result and of the answer, held against the project and the run.",
  rules: {
    "evidence-file": {
      title: "Link to a file that does not exist",
      why: "A reader cannot check a statement by a file that is not there.",
      fix: "Link only files that you were given, by their paths, or leave the link out."
    },
    "evidence-lines": {
      title: "Link to lines that do not exist",
      why: "The file is shorter, so the number was guessed or miscounted.",
      fix: "Copy the line number from the text that you were given, or link the file without one."
    },
    "evidence-quote": {
      title: "Quotation that is not in the file",
      why: "A text beside a link is read as a copy of what stands there.",
      fix: "Copy the text exactly, or say it in your own words without quoting."
    },
    "evidence-result": {
      title: "Link to a result that does not exist",
      why: "Only tasks that have finished have results.",
      fix: "Link the result of a finished task, or the file that the statement rests on."
    },
    "evidence-page": {
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
