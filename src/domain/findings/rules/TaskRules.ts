/**
 * The rules about what a task may say and do. Families and rules are in the order of their pages.
 */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, ollmChat, promised, report } from "./Sources.ts"

const aCall = '{ "uid": "call-1", "name": "...", "arguments": { ... } }'

export const taskRules = [
  family("refinements", "Refinements", "What a refinement may change of the task that the plan decided.", {
    "task-kept": note(
      "Task kept as planned",
      "The section is there, but holds no task.",
      "Leave the section `## Task` out, or write the fields of the task under it.",
      promised("formats.md#refinement")
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
      promised("formats.md#refinement")
    ),
    "references-kept": warning(
      "References kept as planned",
      "A task without the references of its plan would work without the results that it builds on.",
      "Leave the field out. Write further links under `## Added references`.",
      promised("formats.md#refinement")
    ),
    "reference-dropped": warning(
      "Reference of the plan left out",
      "What a planned reference holds is missing from the work of the task.",
      "Leave the field out, so that the planned references stay. Write further links under `## Added references`.",
      promised("formats.md#refinement")
    ),
    "name-kept": note(
      "Name kept",
      "Names are given by the plan.",
      "Leave the name as it is.",
      promised("formats.md#refinement")
    ),
    "skill-kept": note(
      "Skill kept",
      "Skills are given by the plan.",
      "Leave the skill as it is.",
      promised("formats.md#refinement")
    ),
    "approval-kept": warning(
      "Approval kept",
      "A refinement may add an approval, never remove one.",
      "Leave the approval as it is.",
      promised("formats.md#refinement")
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
      "Give a path of the project that exists."
    ),
    "input-ignored": warning(
      "Unknown input",
      "Only the inputs of the skill are passed on.",
      "Leave it out, or name an input of the skill.",
      promised("writing-a-skill.md#typed-inputs")
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
      promised("writing-a-skill.md#typed-inputs")
    )
  }),
  family("tool-calls", "Tool calls", "The JSON of a call, and whether the tools of the run can do what it says.", {
    "tool-call-too-large": error(
      "Tool call too large",
      "A call above the limit is not parsed.",
      "Make the arguments smaller."
    ),
    "tool-call-too-deep": error(
      "Tool call nested too deeply",
      "Values nested this deeply come from an attack or from a model in a loop.",
      "Write a flat arguments object."
    ),
    "tool-call-json": error(
      "Tool call is not JSON",
      "What cannot be read is never guessed.",
      `Write one JSON object with double quotes: ${aCall}.`
    ),
    "tool-call-truncated": error(
      "Tool call breaks off",
      "Closing what broke off would invent arguments.",
      "Write the whole JSON object, with all closing quotes and braces."
    ),
    "tool-call-not-object": error(
      "Tool call is not an object",
      "A call is one JSON object.",
      `Write one JSON object: ${aCall}.`
    ),
    "tool-call-key-duplicate": error("Key given twice", "Only one of the values can be meant.", "Keep one of them."),
    "tool-call-key-forbidden": error("Forbidden key", "The key would change the object itself.", "Leave the key out."),
    "tool-call-key-unknown": error(
      "Unknown key beside arguments",
      "It may be a misplaced argument.",
      'Put parameters of the tool into "arguments" and remove every other key.'
    ),
    "tool-call-number": error(
      "Number out of range",
      "It would be changed by reading it.",
      "Write a smaller number, or a string."
    ),
    "tool-call-name": error(
      "Tool call without name",
      "Nothing says which tool is meant.",
      'Write the name of the tool under "name".'
    ),
    "tool-call-arguments": error(
      "Arguments are not an object",
      "Tools take named arguments.",
      'Write "arguments" as a JSON object with the names of the parameters as keys; {} when there are none.'
    ),
    "tool-call-misplaced": error(
      "Tool call outside Tool Calls",
      "Blocks under Task stay with the task and never run.",
      'Put every call under the heading "## Tool Calls".'
    ),
    "tool-call-repaired": note(
      "JSON fixed",
      "Small mistakes in the JSON left only one meaning.",
      "Write strict JSON.",
      report("ml-explore/mlx-lm/pull/1071")
    ),
    "tool-call-split": note(
      "Several calls in one block",
      "One block holds one call.",
      "Write one call per code block.",
      report("Blaizzy/mlx-vlm/pull/2132")
    ),
    "tool-call-unfenced": note(
      "Tool call without a fence",
      "It stood as plain text.",
      "Put each call into a code block of its own.",
      report("raullenchai/Rapid-MLX/issues/700")
    ),
    "tool-call-alias": note(
      "Key with another name",
      "A known other name of uid, name or arguments.",
      "Use the keys `uid`, `name` and `arguments`.",
      report("ollama/ollama/pull/18388")
    ),
    "tool-call-syntax": note(
      "Call in the syntax of another program",
      "Tags say which tool is called with which arguments.",
      "Write each call as one JSON object in a code block of its own.",
      promised("internals/repairs.md#syntaxes-of-calls")
    ),
    "tool-call-flat": note(
      "Arguments beside the name",
      "Without arguments, the other keys can be nothing else.",
      'Put the parameters of the tool into "arguments".',
      report("openclaw/openclaw/pull/96127")
    ),
    "tool-call-uid": note(
      "Uid assigned by the host",
      "It was missing, given twice, or not a string.",
      "Give every call a uid of its own.",
      report("Mesh-LLM/mesh-llm/issues/1303")
    ),
    "tool-call-extra": note(
      "Key ignored",
      "A remark that no tool reads.",
      "Write only `uid`, `name` and `arguments`.",
      report("cactus-compute/needle/pull/79")
    ),
    "tool-call-missing": error(
      "Nothing to work on",
      "A task without a call or a reference has nothing to work on.",
      "Add at least one tool call under `## Tool Calls`."
    ),
    "tool-call-unfit": error(
      "Call that would fail",
      "A call that changes something is tried against the project before anybody is asked about it.",
      "Change the arguments so that they fit what is there."
    ),
    "tool-call-repeated": error(
      "Same call repeated",
      "Repeating a call gives nothing new.",
      "Make each call once.",
      "limits.identicalCalls says how often the same call may be made."
    ),
    "tool-unknown": error(
      "Unknown tool",
      "Only tools of the run can be called.",
      "Use one of the tools that the skill may use.",
      '"task-conductor tools list" shows the tools that there are.'
    ),
    "tool-not-allowed": error(
      "Tool not allowed for the skill",
      "A skill names the tools that it may use.",
      "Use one of the tools that the skill may use."
    ),
    "tool-call-limited": error(
      "Call that the skill does not allow",
      "The skill allows the tool only for certain commands, files or sites.",
      "Make a call that the skill allows, or remove it."
    ),
    "argument-missing": error(
      "Required argument missing",
      "A missing argument is never invented.",
      "Add the argument."
    ),
    "argument-invalid": error(
      "Argument does not fit",
      "The tool takes values of another kind.",
      "Write a value that fits the parameter."
    ),
    "argument-unknown": error(
      "Unknown argument",
      "No parameter of the tool takes it.",
      "Remove it, or use the name of a parameter."
    ),
    "argument-placeholder": error(
      "Argument with a blank to fill in",
      "Nothing fills it in: the calls of one answer run with the values that stand in them.",
      "Call what gives the value first. Make this call in the next answer, with the value itself."
    ),
    "argument-coerced": note(
      "Text instead of a number or boolean",
      "The text has one meaning as a value of the type that the parameter asks for.",
      "Write numbers and booleans without quotes.",
      report("QwenLM/qwen-code/pull/1284")
    ),
    "tool-renamed": note(
      "Tool in another spelling",
      "Only one tool has these letters.",
      "Write the name as the list of tools has it.",
      report("anomalyco/opencode/pull/10558")
    ),
    "argument-renamed": note(
      "Argument in another spelling",
      "Only one parameter that the call does not have yet can be meant.",
      "Write the names of arguments as the tool has them.",
      report("cortexkit/aft/issues/148")
    ),
    "argument-remark": note(
      "Reason among the arguments",
      "The tool has no such argument, and a reason changes nothing of what it does.",
      "Leave it out, or write it beside the calls.",
      report("apify/apify-mcp-server/pull/865")
    ),
    "argument-dropped": note(
      "Null or empty text for an optional argument",
      "It says the same as leaving the argument out.",
      "Leave the argument out.",
      report("can1357/oh-my-pi/issues/2981")
    )
  }),
  family(
    "changes",
    "Changes",
    "Changes of files that an answer holds as literal blocks, whole files, diffs or replacements.",
    {
      "change-path": error(
        "Change without a path",
        "Nothing says which file is meant.",
        "Write the path of the file on a line of its own before the block."
      ),
      "change-unfinished": error(
        "Change breaks off",
        "What is missing of it cannot be guessed.",
        "Write the whole block again, with all three of its marks."
      ),
      "change-marks": error(
        "Marks that make no block",
        "A mark that belongs to no block may be a change that would be lost.",
        "Write each change as one block with its three marks, each on a line of its own."
      ),
      "change-elided": error(
        "Text left out of a change",
        "The line would be written to the file instead of the text that it stands for.",
        "Write a block that has only the lines that change, under OLD and under NEW."
      ),
      "change-diff": error(
        "Part of a diff that is no edit",
        "A place is found by the lines that stand there now.",
        "Write it as a block, with the lines that stand in the file now under OLD."
      ),
      "change-replace": error(
        "Replacement that cannot be read",
        "A replacement over many places has to be exact.",
        'Write one JSON object: {"replace": "old name", "with": "new name", "except": ["path:line"]}.'
      ),
      "change-quoted": warning(
        "Code that is not taken as a file",
        "It may be quoted, and would replace the whole file.",
        "Write a change as a block, and a new file as its path with a fence that names the language.",
        ofProgram
      ),
      "change-sentence": note(
        "Path in a sentence",
        "The sentence before the block names one file.",
        "Write the path on a line of its own.",
        report("Aider-AI/aider/issues/1105")
      ),
      "change-fenced": note(
        "Fences inside a block",
        "Both parts of the block stood in a fence of their own, which is no line of the file.",
        "Put the lines of the file between the marks, and nothing else.",
        report("Aider-AI/aider/issues/5662")
      ),
      "change-tidied": note(
        "New text with signs that are not meant for the file",
        "Nothing of the kind stands in the file, and only its being written as an answer explains it.",
        "Write the new text as it is to stand in the file.",
        report("RooCodeInc/Roo-Code/blob/cf6b3848bd85de1958a5aea92e5a041086a877d3/src/core/tools/writeToFileTool.ts")
      )
    }
  ),
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
    "What the host says about tasks that change things. Nothing is changed; the person who decides is told.",
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
