/**
 * Folders that tell less about a project than its sources: tests, examples, documents, the settings of other programs.
 */

const pattern =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata|examples?|samples?|demos?|playgrounds?|bench[^/]*|docs?|template[^/]*|vendor|third_party|\.[^/]*)\//i

/** True for a path in such a folder, and for the folder itself when it ends with `/`. */
export const isAside = (path: string): boolean => pattern.test(path)
