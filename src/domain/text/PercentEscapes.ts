/** Decodes percent escapes. A text with an invalid escape stays unchanged. */
export const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
