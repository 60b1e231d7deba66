/** Codes of the characters that N-Triples is made of. */

export const SPACE = 32
export const QUOTE = 34
export const DOT = 46
export const LESS = 60
export const GREATER = 62
export const AT = 64
export const BACKSLASH = 92
export const CARET = 94
export const UNDERSCORE = 95
