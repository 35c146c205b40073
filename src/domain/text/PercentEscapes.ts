/**
 * Decodes percent escapes; invalid ones stay as they are.
 */
export const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
