const importing =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s+[\w{:*\\]|using\s+\w|#include\b|(?:const|let|var)\b.*\brequire\()/

/** True for the first line of an import statement, in most languages. */
export const isImportLine = (line: string): boolean => importing.test(line)
