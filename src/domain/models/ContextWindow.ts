/**
 * The choice of the context window of a run: what the person set, else what the model or the server has, else a default;
 * never more than the model supports.
 */

/** The window when nobody says anything, in tokens: enough for the prompts of a run, and small enough for most machines. */
export const defaultContextWindow = 8192

/** Sizes in tokens; absent when they are not known. */
export interface WindowFacts {
  /** What the person set. */
  readonly given?: number | undefined
  /** `num_ctx` of the Modelfile. */
  readonly modelfile?: number | undefined
  /** The window with which the server has loaded the model. */
  readonly loaded?: number | undefined
  /** The largest window that the model was trained for. */
  readonly supported?: number | undefined
}

export interface ChosenWindow {
  readonly window: number
  readonly from: "given" | "modelfile" | "loaded" | "default"
  /** The size that was wanted, when the model does not support it. */
  readonly loweredFrom?: number
}

const wanted = ({ given, loaded, modelfile }: WindowFacts): Omit<ChosenWindow, "loweredFrom"> => {
  if (given !== undefined) return { window: given, from: "given" }
  if (modelfile !== undefined) return { window: modelfile, from: "modelfile" }
  // A model that is loaded with less was not loaded for this work: it is loaded anew.
  if (loaded !== undefined && loaded > defaultContextWindow) return { window: loaded, from: "loaded" }
  return { window: defaultContextWindow, from: "default" }
}

export const chooseWindow = (facts: WindowFacts): ChosenWindow => {
  const chosen = wanted(facts)
  const { supported } = facts
  return supported === undefined || chosen.window <= supported
    ? chosen
    : { window: supported, from: chosen.from, loweredFrom: chosen.window }
}

/** What a person should know about the choice; nothing about what they set and the default. */
export const windowNote = (model: string, { from, loweredFrom, window }: ChosenWindow): string | undefined => {
  if (loweredFrom !== undefined) {
    return `The context window is lowered from ${loweredFrom} to ${window} tokens: the model "${model}" does not support more.`
  }
  if (from === "given" || from === "default") return undefined
  const source =
    from === "modelfile" ? `as the Modelfile of "${model}" sets num_ctx` : `with which the server has loaded "${model}"`
  return `The context window is ${window} tokens, ${source}. Set another with --context-window.`
}
