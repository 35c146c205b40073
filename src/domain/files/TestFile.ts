/** Which files hold tests, by their names. */
const named: ReadonlyArray<RegExp> = [
  /[._-](?:test|spec)\.[cm]?[jt]sx?$/,
  /(?:^|\/)(?:__tests__|tests?)\/.*\.[cm]?[jt]sx?$/,
  /(?:^|\/)test_[^/]*\.py$|_test\.py$/,
  /_test\.(?:go|exs|dart)$/,
  /_(?:spec|test)\.rb$/,
  /Test\.php$/,
  /(?:Tests?|TestCase|Spec)\.(?:java|kt|groovy|scala)$/
]

/** True for a file with tests, by its name. */
export const isTestFile = (path: string): boolean => named.some((pattern) => pattern.test(path))
