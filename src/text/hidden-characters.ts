/** Characters that cannot be seen in a text: whether it has any, and their names. */

/** Characters that no one-line text may have: controls, lone surrogates, and marks that change the direction of what follows. */
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const hidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const hiddenInProse = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** Whether a text of one line, or of several, has characters that cannot be seen or are no characters. */
export const hasHiddenCharacters = (text: string, isProse = false): boolean =>
  !text.isWellFormed() || (isProse ? hiddenInProse : hidden).test(text)

/** Names of the marks that change the direction of what follows (Unicode). */
const directionMarks: Readonly<Record<string, string>> = {
  '\u202a': 'LEFT-TO-RIGHT EMBEDDING',
  '\u202b': 'RIGHT-TO-LEFT EMBEDDING',
  '\u202c': 'POP DIRECTIONAL FORMATTING',
  '\u202d': 'LEFT-TO-RIGHT OVERRIDE',
  '\u202e': 'RIGHT-TO-LEFT OVERRIDE',
  '\u2066': 'LEFT-TO-RIGHT ISOLATE',
  '\u2067': 'RIGHT-TO-LEFT ISOLATE',
  '\u2068': 'FIRST STRONG ISOLATE',
  '\u2069': 'POP DIRECTIONAL ISOLATE',
}

/** Code and name of the first characters of a text that cannot be seen: `U+202E RIGHT-TO-LEFT OVERRIDE`. */
export const hiddenNames = (text: string): string =>
  [...new Set(Array.from(text).filter((character) => hasHiddenCharacters(character)))]
    .slice(0, 3)
    .map((character) => {
      const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
      return [code, directionMarks[character]].filter(Boolean).join(' ')
    })
    .join(', ')
