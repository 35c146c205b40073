/** The rules about what a task and an answer may say. Families and rules are in the order of the documentation. */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, ollmChat, promised, report } from "./Sources.ts"

export const taskRules = [
  family("refinements", "Refinements", "What a refinement may change of the task that the plan decided.", {
    "task-kept": note(
      "Task kept as planned",
      "The section is there, but holds no task.",
      "Leave the section `## Task` out, or write the fields of the task under it.",
      promised("reference/formats.md#refinement")
    ),
    "tool-calls-alone": note(
      "Calls without their heading",
      "The answer is nothing but calls.",
      "Write the calls under `## Tool Calls`.",
      report("raullenchai/Rapid-MLX/issues/700")
    ),
    "field-kept": note(
      "Field kept as planned",
      "The answer repeats the task without this field.",
      "Leave `## Task` out: the task is known. Where it stands, it holds every field.",
      promised("reference/formats.md#refinement")
    ),
    "references-kept": warning(
      "References kept as planned",
      "A task without the references of its plan would work without the results that it builds on.",
      "Leave the field out. Write further links under `## Added references`.",
      promised("reference/formats.md#refinement")
    ),
    "reference-dropped": warning(
      "Reference of the plan left out",
      "What a planned reference holds is missing from the work of the task.",
      "Leave the field out, so that the planned references stay. Write further links under `## Added references`.",
      promised("reference/formats.md#refinement")
    ),
    "name-kept": note(
      "Name kept",
      "Names are given by the plan.",
      "Leave the name as it is.",
      promised("reference/formats.md#refinement")
    ),
    "skill-kept": note(
      "Skill kept",
      "Skills are given by the plan.",
      "Leave the skill as it is.",
      promised("reference/formats.md#refinement")
    ),
    "approval-kept": warning(
      "Approval kept",
      "A refinement may add an approval, never remove one.",
      "Leave the approval as it is.",
      promised("reference/formats.md#refinement")
    ),
    "report-early": note(
      "Report beside calls",
      "It was written before the outputs of the calls were known.",
      "Write the report when the calls have been made.",
      report("langchain-ai/langchain/issues/20704")
    ),
    "tool-call-known": note(
      "Same call twice",
      "A second call with the same arguments gives nothing new.",
      "Write each call once.",
      report("lmstudio-ai/lmstudio-bug-tracker/issues/1756")
    ),
    "change-open": error(
      "Report with a change that failed",
      "A change that failed was not made, whatever the report says.",
      "Send the change again, corrected. If it is not needed any more, say so in the report."
    ),
    "check-failed": error(
      "Report with a check that fails",
      "A change that breaks a check of the project is not done.",
      "Correct the changes. If the check is wrong or fails for another reason, say so in the report."
    ),
    "check-claimed": error(
      "Report of a check that passed and did not",
      "Only the checks say what passes. A report that says more misleads who reads it.",
      "Write the report again, and say of the checks what they say. If a change makes them pass, send the change."
    ),
    "report-unfounded": error(
      "Report without a call",
      "Only calls and changes show what was found, what was not, and what was done.",
      "Look at what the task is about, or change it, and then write the report."
    ),
    "tool-calls-many": error(
      "Too many calls at once",
      "What an answer asks for is done in one turn, whose outputs have to fit the window.",
      "Ask for the rest in the next answer."
    )
  }),
  family("inputs", "Inputs", "What a refinement gives for the typed inputs of a skill.", {
    "input-missing": error(
      "Input without a value",
      "The skill cannot work without a required input.",
      "Give the value under `## Inputs`."
    ),
    "input-type": error(
      "Value of another type",
      "The skill says what the value of an input is.",
      "Give a value of the type that the skill asks for."
    ),
    "input-repeated": error(
      "Input given twice",
      "It is unclear which of the values is meant.",
      "Keep one line for it."
    ),
    "input-path-missing": error(
      "Path not found",
      "A path is a file or folder of the project.",
      "Give a path that exists in the project."
    ),
    "input-ignored": warning(
      "Unknown input",
      "Only the inputs of the skill are passed on.",
      "Leave it out, or name an input of the skill.",
      promised("reference/skills.md#typed-inputs")
    ),
    "input-spelling": note(
      "Input in another spelling",
      "Exactly one input of the skill is meant.",
      "Spell the name as the skill does.",
      report("cortexkit/aft/issues/148")
    ),
    "input-form": note(
      "Input in another form",
      "The line or the value was written in another form that means the same.",
      'Write "- `name`: value" without marks around the value.',
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "input-kept": note(
      "Input kept from before",
      "The answer left the input out.",
      "Repeat every input.",
      promised("reference/skills.md#typed-inputs")
    )
  }),
  family("skills", "Skills of a task", "The skill that a task names.", {
    "skill-unknown": error(
      "Unknown skill",
      "A task runs by the text of its skill.",
      "Use a skill of the catalogue.",
      '"task-conductor skills list" shows the skills that there are.'
    ),
    "skill-several": error(
      "More than one skill",
      "A task is refined and executed with one skill.",
      "Keep one of them, or make a task of each."
    ),
    "skill-spelling": note(
      "Skill spelled differently",
      "Exactly one skill can be meant.",
      "Write the name as in the catalogue.",
      ollmChat("docs/bugs/done/2026-04-06-FIXED-task-list-skill-line-shows-skill-docsbase.md")
    ),
    "skill-form": note(
      "Marks around a skill",
      "A skill's name is plain text.",
      "Write the skill as plain text.",
      ollmChat("resources/skill-prompts/task_list_iteration.md")
    )
  }),
  family(
    "approvals",
    "Approvals",
    "Notes of the program about tasks that change things. They change nothing; the user sees them.",
    {
      "writer-without-approval": note(
        "Writer without approval",
        "The host decides what needs approval: it asks before anything is changed, whatever the list says.",
        "Add `- **Requires user approval**`; the host asks all the same.",
        ofProgram
      ),
      "writers-of-one-file": warning(
        "Two writers of one file in one section",
        "The tasks of a section run side by side. Their changes are put together, and where both change the same lines, the later task does its part again.",
        "Put the tasks into different sections, or let one of them do both.",
        ofProgram
      )
    }
  ),
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
